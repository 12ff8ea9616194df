import CacheModel
import NormalizedCache
import SyncStack

/// A cache with one observed listing that is updated, and any number of observers of others.
final class ObserverCountSubject: CostSubject, Sendable {
  private let cache: NormalizedCache<MeasurementSchema>
  private let library: FileLibrary

  init(seed: UInt64, observers: Int) async throws {
    library = FileLibrary(directories: observers + 1, filesPerDirectory: 1, seed: seed)
    cache = try NormalizedCache(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: .unlimited, retention: .cached,
        freshness: .neverExpires, maximumQueries: nil),
      schema: MeasurementSchema(), source: LibraryServer(library: library))
    for key in library.queryKeys {
      _ = try await cache.query(key)
      _ = await cache.observe(key) { _, _ in }
    }
  }

  /// Applies changes of the file in the first listing, on the cache's actor: getting there costs the
  /// same beside any number of observers.
  func measureBlock(of operations: Int, clock: ContinuousCacheClock) async -> [Int64] {
    await measureBlock(of: operations, clock: clock, on: cache)
  }

  private func measureBlock(
    of operations: Int, clock: ContinuousCacheClock,
    on cache: isolated NormalizedCache<MeasurementSchema>
  ) -> [Int64] {
    (0..<operations).map { _ in
      let known = cache.entity(library.entityKey(ofFile: 0))?.version
      let revision = known.map { FileLibrary.revision(of: $0) + 1 } ?? 1
      let event = EventEnvelope(
        place: library.place(sequence: revision),
        event: .changed(library.entity(file: 0, revision: revision)))
      let before = clock.now
      cache.receive(event)
      return clock.now.nanoseconds - before.nanoseconds
    }
  }
}
