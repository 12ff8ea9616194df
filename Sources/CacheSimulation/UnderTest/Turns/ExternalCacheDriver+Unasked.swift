import CacheModel
import NormalizedCacheCore
import SimulatedStorage

/// What a cache that is known only from outside is not asked.
///
/// ``Simulation/run(cache:_:)`` gives it no storage.
extension ExternalCacheDriver {
  private var unasked: Never {
    preconditionFailure("a cache in turns has no storage of the simulation's")
  }

  mutating func persist(_ settings: WriteBehind, at now: Instant) { unasked }
  mutating func restore(
    _ stored: StoredState<Handle, SimulatedMutation>, wallClock: Instant, at now: Instant
  ) -> RestoreReport { unasked }
  mutating func takeBatch(
    wallClock: Instant, at now: Instant
  ) -> StorageBatch<Handle, SimulatedMutation>? { nil }
  mutating func completeFlush(_ number: UInt64, at now: Instant) { unasked }
  mutating func failFlush(_ number: UInt64, _ error: StorageError, at now: Instant) { unasked }

  // What an app did to its own cache, as its recording has it: the protocol has no words for that.

  mutating func invalidate(_ key: QueryKey, at now: Instant) {
    if let query = input.queryOfKey[key] { measured?.refresh(query) }
  }
  mutating func take(_ key: QueryKey, from longer: QueryKey, at now: Instant) {}
  mutating func clear(_ library: LibraryID, at now: Instant) {}
  mutating func releaseMemory(toFraction share: Double, at now: Instant) {}

  func confirmedEntity(_ key: EntityKey) -> VersionedEntity<Handle>? { nil }
  func isFresh(_ key: EntityKey, at now: Instant) -> Bool { false }
  func forEachResident(_ body: (EntityKey, Handle) -> Void) {}
  func cursor(of stream: StreamID) -> StreamPosition? { nil }
  var statistics: CacheStatistics { CacheStatistics() }
  var residentEntities: Int { 0 }
  var residentWeight: Int { 0 }
  var overLimit: Double? { measured?.use.limitShare == nil ? nil : peak.limitShare }
  func peakShare(of capacity: Capacity, maximumQueries: Int?) -> Double? { nil }
  func predictedBytes(_ memory: PredictedMemory) -> Int? {
    measured == nil ? cache.predictedBytes : peak.memoryBytes
  }
}
