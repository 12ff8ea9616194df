import CacheModel
import Containers
import NormalizedCacheCore

/// A cache of a client in the simulation: operations, requests and queries.
///
/// ``ClientSimulation`` is generic over it, and specialised for `CacheStore`.
protocol SimulatedCache: ~Copyable {
  // MARK: Events

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
  /// Processes a deadline of the cache.
  mutating func advance(to now: Instant)
  mutating func completeFetch(
    _ id: FetchID, with response: FetchResponse<Handle>, at now: Instant
  ) -> FetchEnding
  mutating func failFetch(_ id: FetchID, isRefused: Bool, at now: Instant) -> FetchEnding
  mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Handle>, at now: Instant)
  mutating func failReconcile(_ id: ReconcileID, isRefused: Bool, at now: Instant)
  mutating func tellLink(isUp: Bool, at now: Instant)
  /// Ends its process.
  func end()

  // MARK: The user's writes

  mutating func begin(
    _ mutation: SimulatedMutation, timeout: Duration?, at now: Instant
  ) throws(MutationError)
  mutating func commit(
    _ token: MutationToken, with response: MutationResponse<Handle>, at now: Instant)
  @discardableResult
  mutating func rollBack(_ token: MutationToken, at now: Instant) -> Bool
  mutating func enqueue(_ mutation: SimulatedMutation, at now: Instant) throws(MutationError)
  mutating func completeSend(
    _ token: MutationToken, with response: MutationResponse<Handle>, at now: Instant)
  mutating func rejectSend(_ token: MutationToken, at now: Instant) -> [MutationToken]
  mutating func failSend(_ token: MutationToken, at now: Instant)
  mutating func setOnline(_ isOnline: Bool, at now: Instant)
  func isKnownToBeCarriedOut(_ token: MutationToken) -> Bool
  func pendingMutation(_ token: MutationToken) -> SimulatedMutation?
  var pendingMutations: [MutationToken] { get }
  /// Whether a user's change is applied on top of the confirmed state.
  var hasPendingEdits: Bool { get }
  var outbox: [SimulatedMutation] { get }
  func peek(_ key: EntityKey) -> VersionedEntity<Handle>?

  // MARK: A storage that outlives the process

  mutating func persist(_ settings: WriteBehind, at now: Instant)
  @discardableResult
  mutating func restore(
    _ stored: StoredState<Handle, SimulatedMutation>, wallClock: Instant, at now: Instant
  ) -> RestoreReport
  mutating func takeBatch(
    wallClock: Instant, at now: Instant
  ) -> StorageBatch<Handle, SimulatedMutation>?
  mutating func completeFlush(_ number: UInt64, at now: Instant)
  mutating func failFlush(_ number: UInt64, _ error: StorageError, at now: Instant)

  // MARK: Black boxes

  /// Whether the cache is a black box: it answers a read at any time, decides itself what to serve without a
  /// server, and does not expose its contents.
  static var isKnownFromOutside: Bool { get }
  /// Returns the reads that it has answered or given up since, and clears them.
  mutating func takeAnswered() -> [AnsweredRead]
  mutating func giveUpReads()
  /// The rule that it violated, if any: it then receives nothing more.
  var fault: CacheFault? { get }
  /// Whether the server's events reach it.
  var takesEvents: Bool { get }

  // MARK: Requirements

  mutating func takeActions(into taken: inout [CacheAction])
  var nextDeadline: Instant? { get }
  var nextDeadlineBesidesPolls: Instant? { get }

  // MARK: Its content

  /// Returns the rows of a query, as slots; `nil` if it has no result.
  func members(of key: QueryKey) -> [Slot]?
  func rows(of key: QueryKey) -> [VersionedEntity<Handle>?]?
  /// `nil` if the slot has no value.
  func payload(of slot: Slot) -> Handle?
  func key(of slot: Slot) -> EntityKey
  func version(of slot: Slot) -> Version
  func confirmedEntity(_ key: EntityKey) -> VersionedEntity<Handle>?
  /// The queries with a result, including all that it calls fresh.
  var queriesWithResult: [QueryKey] { get }
  func isFresh(_ key: QueryKey, at now: Instant) -> Bool
  func isFresh(_ key: EntityKey, at now: Instant) -> Bool
  func forEachResident(_ body: (EntityKey, Handle) -> Void)
  func fetch(of target: FetchTarget) -> FetchID?
  /// Returns its position in a stream; `nil` if it does not report one.
  func cursor(of stream: StreamID) -> StreamPosition?

  // MARK: Memory

  var statistics: CacheStatistics { get }
  var residentEntities: Int { get }
  var residentWeight: Int { get }
  var fullestLimit: LimitShare? { get }
  func peakShare(of capacity: Capacity, maximumQueries: Int?) -> LimitShare?
  /// Its current use, if it reports it.
  var use: CacheUse? { get }
  /// Returns its predicted memory in bytes, an upper bound; `nil` if unknown.
  func predictedBytes(_ memory: PredictedMemory) -> Int?
}

struct AnsweredRead: Sendable {
  /// The fetch that the read waited for.
  var ticket: FetchID
  /// Whether it got its rows.
  var isServed: Bool
  /// Whether the server was asked in the meantime.
  var isAsked = true
  /// Whether the rows came from the cache's own disk, without a request to the server.
  var isFromDisk = false
  /// The entity, for the read of an entity.
  var entity: Handle?
}

extension CacheStore: SimulatedCache where Schema == SimulationSchema {
  static var isKnownFromOutside: Bool { false }
  mutating func takeAnswered() -> [AnsweredRead] { [] }
  mutating func giveUpReads() {}
  var fault: CacheFault? { nil }
  var takesEvents: Bool { composition.takesEvents }
  var use: CacheUse? { nil }
  mutating func tellLink(isUp: Bool, at now: Instant) {}
  func end() {}

  mutating func failFetch(_ id: FetchID, isRefused: Bool, at now: Instant) -> FetchEnding {
    failFetch(id, at: now)
  }

  mutating func failReconcile(_ id: ReconcileID, isRefused: Bool, at now: Instant) {
    failReconcile(id, at: now)
  }

  /// Predicts the tables at the end, which do not shrink.
  ///
  /// A store with a memory limit has checked it after every commit.
  func predictedBytes(_ memory: PredictedMemory) -> Int? {
    statistics.peakUse.memory > 0
      ? statistics.peakUse.memory
      : memory.bytes(of: self, weight: statistics.peakResidentWeight)
  }
}
