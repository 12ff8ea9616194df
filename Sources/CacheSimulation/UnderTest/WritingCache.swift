import CacheModel
import NormalizedCache

/// What a user's own changes ask of a cache.
///
/// The defaults are those of a cache that takes none.
protocol WritingCache: ~Copyable {
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
  /// Whether a change of the user's lies over what is confirmed.
  var hasPendingEdits: Bool { get }
  var outbox: [SimulatedMutation] { get }
  func peek(_ key: EntityKey) -> VersionedEntity<Handle>?
}

/// What a storage that outlives the process asks of a cache.
protocol StoringCache: ~Copyable {
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
}
