package import Workloads

/// A black-box cache: the simulation sends it operations, one turn at a time, and it answers with rows and
/// requests.
///
/// It has no clock: each turn has its time, and each answer the time of the next wake-up. Queries, objects
/// and states are numbers, counted from 0; ``CacheLaunch`` has their meaning.
///
/// A cache runs in the process of the simulation, so a trap or an endless loop affects the simulation.
public protocol CacheUnderTest: AnyObject {
  /// The features that it supports besides reading; none by default.
  var features: Set<CacheFeature> { get }
  /// The name and version that it reports, unverified; `nil` by default.
  var claim: String? { get }
  /// Its peak memory in bytes; `nil`: not reported.
  var predictedBytes: Int? { get }
  /// Processes a turn, and returns its replies and requests.
  ///
  /// A read may be answered in its own turn, which is a hit, or in a later one.
  ///
  /// - Throws: ``CacheFault`` if it violates the rules; its run ends.
  func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer
  /// Called when its client's run or its process ends.
  func end()
}

extension CacheUnderTest {
  public var features: Set<CacheFeature> { [] }
  public var claim: String? { nil }
  public var predictedBytes: Int? { nil }
}

/// A built-in cache under test, which reports its use of memory and disk.
///
/// Its process may be relaunched, with the stored contents; it may serve anything that was ever sent to it.
package protocol MeasuredCache: CacheUnderTest {
  var use: CacheUse { get }
  /// Whether it receives the server's events; if not, nothing is delivered, and events do not count as its
  /// traffic.
  var takesEvents: Bool { get }
  /// Makes the next read of a query ask the server, as for pull to refresh; without an answer it is served
  /// from the cache.
  func refresh(_ query: Int)
}

package struct CacheUse: Hashable, Sendable {
  /// The predicted memory in an app, in bytes.
  package var memoryBytes = 0
  /// The largest used share of a memory limit; `nil`: it has none.
  package var limitShare: Double?
  /// The bytes of its files.
  package var diskBytes = 0
  package var files = 0
  /// Files or rows written since the client's first process began.
  package var diskWrites = 0

  package init() {}
}

/// A factory of black-box caches for any client of any workload, usable like a policy.
///
/// Conformers are values: a shell command, or a design with its options.
package protocol BlackBoxCache: Sendable {
  /// Its identity as values: caches with equal content are the same.
  var content: [ScenarioContent.Value] { get }
  /// Whether two runs on one stream are always equal; otherwise the first seed is run twice and compared.
  var isDeterministic: Bool { get }
  /// Whether its caches report their memory (``CacheUnderTest/predictedBytes``).
  ///
  /// One that does not is excluded from comparisons of memory, and has no limit.
  var predictsMemory: Bool { get }
  /// Returns the cache with one hard memory limit instead of all others; `nil`: not supported.
  func held(toMemory bytes: Int) -> (any BlackBoxCache)?
  /// Returns the cache with one option set; `nil`: it has no option with that name.
  func setting(_ option: String, to value: String) -> (any BlackBoxCache)?
  /// Prepares what all clients of a workload share.
  ///
  /// - Returns: a closure that starts a cache for a client, or for a client's next process.
  func maker(for workload: Workload) -> Maker

  typealias Maker = (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
}

extension BlackBoxCache {
  package func held(toMemory bytes: Int) -> (any BlackBoxCache)? { nil }
  package func setting(_ option: String, to value: String) -> (any BlackBoxCache)? { nil }
}

package final class RecordingCache: CacheUnderTest {
  private let cache: any CacheUnderTest
  package private(set) var turns: [CacheTurn] = []
  /// The replies by turn; none for the last turn if the cache failed in it.
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
