import CacheModel
import NormalizedCacheCore

/// What a user's own changes ask of a cache.
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
