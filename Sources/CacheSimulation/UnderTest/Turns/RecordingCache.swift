/// Keeps what a cache is told and says.
package final class RecordingCache: CacheUnderTest {
  private let cache: any CacheUnderTest
  package private(set) var turns: [CacheTurn] = []
  /// By turn; the last turn has none where the cache failed in it.
  package private(set) var answers: [[CacheReply]] = []

  package init(_ cache: any CacheUnderTest) { self.cache = cache }

  package var features: Set<CacheFeature> { cache.features }
  package var claim: String? { cache.claim }
  package var predictedBytes: Int? { cache.predictedBytes }

  package func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer {
    turns.append(turn)
    let answer = try cache.take(turn)
    answers.append(answer.replies)
    return answer
  }

  package func end() { cache.end() }
}
