import CacheModel
import NormalizedCache

/// The fast door: observers are called on the committing path.
struct CallbackLane {
  var lane: Lane
  let cache: NormalizedCache<MeasurementSchema>
  let stamps = ObserverStamps()

  /// Fills the cache and observes every query.
  init(lane: Lane, cache: NormalizedCache<MeasurementSchema>, library: FileLibrary) async throws {
    self.lane = lane
    self.cache = cache
    for key in library.queryKeys {
      _ = await cache.observe(key) { [stamps, clock = lane.clock] _, _ in
        stamps.notify(at: clock.now)
      }
      _ = try await cache.query(key)
    }
  }

  func run(
    from start: Instant, afterEach: @Sendable (Int) -> Void = { _ in }
  ) async throws -> [EventStamps] {
    let events = try await lane.run(
      from: start, stamps: stamps,
      deliver: { [cache, stamps, clock = lane.clock] envelope in
        await cache.receive(envelope) { stamps.commit(at: clock.now) }
      },
      afterEach: afterEach)
    return try lane.counted(events.map(\.stamps)) {
      events[$0].calls >= lane.script.directories(ofEvent: $0).count
    }
  }
}
