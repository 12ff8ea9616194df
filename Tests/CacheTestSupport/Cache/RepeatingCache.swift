package import CacheSimulation

/// A cache that tells its views all that it says of their lists: what it has just served, and each
/// change twice.
package final class RepeatingCache: CacheUnderTest {
  private let cache: any CacheUnderTest
  private let tellsFirst: Bool
  /// The list of each read, by turn.
  private var lists: [Int: Int] = [:]

  /// Views may be notified before they are answered.
  package init(_ cache: any CacheUnderTest, tellsFirst: Bool = false) {
    self.cache = cache
    self.tellsFirst = tellsFirst
  }

  package var features: Set<CacheFeature> { cache.features }

  package func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer {
    switch turn.operation {
    case .read(let query), .observe(let query): lists[turn.number] = query
    default: break
    }
    var answer = try cache.take(turn)
    let repeats = answer.replies.compactMap { reply -> CacheReply? in
      switch reply {
      case .serve(let number, let rows):
        lists[number].map { .notify(query: $0, rows) }
      case .notify: reply
      default: nil
      }
    }
    answer.replies = tellsFirst ? repeats + answer.replies : answer.replies + repeats
    return answer
  }

  package func end() { cache.end() }
}
