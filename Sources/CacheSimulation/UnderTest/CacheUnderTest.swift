package import Workloads

/// A black-box cache: the simulation sends it operations, one turn at a time, and it answers with the rows that it
/// serves and its requests.
///
/// It has no clock: each turn says when it takes place, and each answer when the cache wants to be woken.
/// Queries, objects and states are numbers, counted from 0; ``CacheLaunch`` has their meaning.
///
/// A cache runs in the process of the simulation: one that traps or never returns ends or stops it.
public protocol CacheUnderTest: AnyObject {
  /// What it takes part in beyond reading; nothing, unless it says so.
  var features: Set<CacheFeature> { get }
  /// What it says of its name and version, which is not checked; nothing, unless it says so.
  var claim: String? { get }
  /// The most that it has taken in memory, in bytes; `nil`: it does not say.
  var predictedBytes: Int? { get }
  /// Takes a turn, and says at once all that it has to say.
  ///
  /// A read may be answered in its own turn, which is a hit, or in a later one.
  ///
  /// - Throws: ``CacheFault`` if it does not keep to the rules; its run is over then.
  func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer
  /// Its client's run is over, or its process ends.
  func end()
}

extension CacheUnderTest {
  public var features: Set<CacheFeature> { [] }
  public var claim: String? { nil }
  public var predictedBytes: Int? { nil }
}

/// A cache under test that is one of ours: it says what it takes, in memory and on its disk.
///
/// Its process may end and another begin, which then finds what the former one stored, and what it was ever
/// sent it may serve.
package protocol MeasuredCache: CacheUnderTest {
  /// What it takes now.
  var use: CacheUse { get }
  /// Whether the server's events reach it; if not, nothing is delivered, and no byte of events counts against it.
  var takesEvents: Bool { get }
  /// What a query lists is to be asked for again, as the user pulls the view down: its next read is answered by the
  /// server or, where no answer comes, by what is there.
  func refresh(_ query: Int)
}

/// What a cache takes.
package struct CacheUse: Hashable, Sendable {
  /// In memory, in bytes, as an app would.
  package var memoryBytes = 0
  /// The largest share of a limit on memory that is in use; `nil`: it has none.
  package var limitShare: Double?
  /// Bytes of its files.
  package var diskBytes = 0
  package var files = 0
  /// Files, or rows, that were written since the client's first process began.
  package var diskWrites = 0

  package init() {}
}

/// A cache that can be begun for any client of any workload, and that the simulation knows only from
/// outside: where policies go, it can go too.
///
/// Conformers are values: a command of a shell, or a design with its options.
package protocol BlackBoxCache: Sendable {
  /// Its identity, value by value: two caches of the same content are the same.
  var content: [ScenarioContent.Value] { get }
  /// Whether two runs on one stream are alike by construction; else the first seed is run twice, and
  /// both are compared.
  var isDeterministic: Bool { get }
  /// Whether its caches report their memory (``CacheUnderTest/predictedBytes``).
  ///
  /// One that does not is in no comparison over memory, and has no limit.
  var predictsMemory: Bool { get }
  /// The same with one hard limit on memory instead of all others; `nil`: it cannot have one.
  func held(toMemory bytes: Int) -> (any BlackBoxCache)?
  /// The same with one of its options set; `nil`: it has no option of that name.
  func setting(_ option: String, to value: String) -> (any BlackBoxCache)?
  /// Prepares what all clients of a workload have in common.
  ///
  /// - Returns: what begins a cache for a client, or for a client's next process.
  func maker(for workload: Workload) -> Maker

  typealias Maker = (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
}

extension BlackBoxCache {
  package func held(toMemory bytes: Int) -> (any BlackBoxCache)? { nil }
  package func setting(_ option: String, to value: String) -> (any BlackBoxCache)? { nil }
}

/// Records the input and output of a cache.
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
