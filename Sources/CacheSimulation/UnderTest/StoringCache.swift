import CacheModel
import NormalizedCacheCore

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
