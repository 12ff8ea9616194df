import CacheModel
import Containers
import NormalizedCacheCore

/// A cache that a client of the simulation has: what happens to it, what it asks for, and what it is
/// asked.
///
/// ``ClientSimulation`` is generic over it, and specialised for `CacheStore`.
protocol SimulatedCache: WritingCache, StoringCache, ~Copyable {
  // MARK: What happens

  mutating func read(_ key: QueryKey, at now: Instant, isRepeated: Bool) -> QueryRead
  mutating func readEntity(
    _ key: EntityKey, library: LibraryID, at now: Instant
  ) -> EntityRead<Handle>
  mutating func addObserver(of key: QueryKey, at now: Instant)
  mutating func removeObserver(of key: QueryKey, at now: Instant)
  mutating func tag(_ key: QueryKey, _ isTagged: Bool, at now: Instant)
  mutating func invalidate(_ key: QueryKey, at now: Instant)
  mutating func take(_ key: QueryKey, from longer: QueryKey, at now: Instant)
  mutating func clear(_ library: LibraryID, at now: Instant)
  mutating func releaseMemory(toFraction share: Double, at now: Instant)
  mutating func receive(
    _ envelope: consuming EventEnvelope<Handle>, library: LibraryID?, at now: Instant)
  mutating func receiveHeartbeat(_ place: EventEnvelope<Handle>.Place, at now: Instant)
  /// A deadline of the cache's own has come.
  mutating func advance(to now: Instant)
  mutating func completeFetch(
    _ id: FetchID, with response: FetchResponse<Handle>, at now: Instant
  ) -> FetchEnding
  mutating func failFetch(_ id: FetchID, isRefused: Bool, at now: Instant) -> FetchEnding
  mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Handle>, at now: Instant)
  mutating func failReconcile(_ id: ReconcileID, isRefused: Bool, at now: Instant)
  mutating func tellLink(isUp: Bool, at now: Instant)
  /// Its process ends.
  func end()

  // MARK: How it is known

  /// Whether only what it says is known: it answers a read when it likes, knows by itself what it serves
  /// without a server, and what it keeps cannot be seen.
  static var isKnownFromOutside: Bool { get }
  /// The reads that it has answered since, or given up.
  mutating func takeAnswered() -> [AnsweredRead]
  /// Gives up all reads that still wait.
  mutating func giveUpReads()
  /// What it did wrong, if anything: then it is told nothing more.
  var fault: CacheFault? { get }
  /// Whether the server's events reach it.
  var takesEvents: Bool { get }

  // MARK: What it wants

  mutating func takeActions(into taken: inout [CacheAction])
  var nextDeadline: Instant? { get }
  var nextDeadlineBesidesPolls: Instant? { get }

  // MARK: What it holds

  /// The rows of a query, as slots; `nil` where it has no result.
  func members(of key: QueryKey) -> [Slot]?
  func rows(of key: QueryKey) -> [VersionedEntity<Handle>?]?
  /// `nil` where the slot's value is not held.
  func payload(of slot: Slot) -> Handle?
  func key(of slot: Slot) -> EntityKey
  func version(of slot: Slot) -> Version
  func confirmedEntity(_ key: EntityKey) -> VersionedEntity<Handle>?
  /// The queries that it calls fresh, among others.
  var queriesWithResult: [QueryKey] { get }
  func isFresh(_ key: QueryKey, at now: Instant) -> Bool
  func isFresh(_ key: EntityKey, at now: Instant) -> Bool
  func forEachResident(_ body: (EntityKey, Handle) -> Void)
  func fetch(of target: FetchTarget) -> FetchID?
  /// Where it stands in a stream; `nil` where it does not say.
  func cursor(of stream: StreamID) -> StreamPosition?

  // MARK: What it takes

  var statistics: CacheStatistics { get }
  var residentEntities: Int { get }
  var residentWeight: Int { get }
  var overLimit: Double? { get }
  func peakShare(of capacity: Capacity, maximumQueries: Int?) -> Double?
  /// What it takes now, where it says so itself.
  var use: CacheUse? { get }
  /// What it takes in memory, at most; `nil` where that is not known.
  func predictedBytes(_ memory: PredictedMemory) -> Int?
}

/// A read that waited, and is over.
struct AnsweredRead: Sendable {
  /// What the read was told to wait for.
  var ticket: FetchID
  /// Whether it got its rows.
  var isServed: Bool
  /// Whether it got them from the cache's own disk: the server was not asked for them.
  var isFromDisk = false
  /// The entity that it got, where it is the read of one.
  var entity: Handle?
}
