import CacheModel
import CacheSimulation
import Synchronization

/// What the first process of a cache said of itself: all others of it have to say the same, since the
/// results of seeds are only of one cache if they are.
package final class FirstHello: Sendable {
  private struct Hello: Hashable {
    var claim: TextKey
    var features: Set<CacheFeature>
  }

  private let first = Mutex<Hello?>(nil)

  package init() {}

  /// - Throws: ``CacheFault`` where an earlier process has said something else.
  func check(claim: String, features: Set<CacheFeature>) throws(CacheFault) {
    let own = Hello(claim: TextKey(claim), features: features)
    let other = first.withLock { first in
      first = first ?? own
      return first
    }
    guard other == own else {
      throw CacheFault(.otherHello, "\(Self.text(own)), before: \(other.map(Self.text) ?? "")")
    }
  }

  private static func text(_ hello: Hello) -> String {
    ([hello.claim.text] + hello.features.map(\.rawValue).sorted()).joined(separator: " ")
  }
}
