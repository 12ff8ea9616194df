package import CacheModel

/// A policy whose cache is measured.
package struct ReplayedPolicy: Sendable {
  package var name: String
  package var composition: CachePolicy
  /// What is wrong with it on purpose.
  package var handicap: Handicap?

  package init(name: String, composition: CachePolicy) {
    self.name = name
    self.composition = composition
  }

  /// A fault that a measurement must show: where it does not, its other figures are worth nothing.
  package enum Handicap: String, Sendable, CaseIterable {
    /// Each event costs 10 µs more until it is committed.
    case slow
    /// Each entity takes 1,000 bytes more.
    case fat

    package static let slowness = Duration.microseconds(10)
    package static let fatness = 1_000
  }

  /// The same policy with a handicap, under a name of its own, such as `lru+slow`.
  package func with(_ handicap: Handicap) -> ReplayedPolicy {
    var policy = self
    policy.name = "\(name)+\(handicap.rawValue)"
    policy.handicap = handicap
    return policy
  }
}
