import CacheModel
import NormalizedCache

/// The convenient door: each query is watched by a task that reads a stream of snapshots.
struct StreamLane {
  let lane: Lane
  let cache: NormalizedCache<MeasurementSchema>
  private let watchers: [Watcher]
  private let stamps = ObserverStamps()

  /// For how long after the last commit a snapshot may be on its way.
  private static let patience = Duration.seconds(5)

  /// Fills the cache and subscribes to every query.
  init(lane: Lane, cache: NormalizedCache<MeasurementSchema>, library: FileLibrary) async throws {
    self.lane = lane
    self.cache = cache
    var events = [[Int]](repeating: [], count: library.directories)
    for event in lane.arrivals.offsets.indices {
      for directory in lane.script.directories(ofEvent: event) { events[directory].append(event) }
    }
    var watchers: [Watcher] = []
    for (directory, key) in library.queryKeys.enumerated() {
      let updates = await cache.updates(of: key)
      _ = try await cache.query(key)
      watchers.append(Watcher(updates: updates, events: events[directory], clock: lane.clock))
    }
    self.watchers = watchers
  }

  func run(from start: Instant) async throws -> [EventStamps] {
    let watching = watchers.map { watcher in Task { await watcher.sightings() } }
    defer { for task in watching { task.cancel() } }
    var events = try await lane.run(from: start, stamps: stamps) {
      [cache, stamps, clock = lane.clock] envelope in
      await cache.receive(envelope) { stamps.commit(at: clock.now) }
    }
    let deadline = Task {
      try await Task.sleep(for: Self.patience)
      for task in watching { task.cancel() }
    }
    defer { deadline.cancel() }
    for task in watching {
      for sighting in await task.value {
        let known = events[sighting.event].stamps.notified
        events[sighting.event].stamps.notified = max(known, sighting.at)
        events[sighting.event].calls += 1
      }
    }
    return try lane.counted(events.map(\.stamps)) {
      events[$0].calls >= lane.script.directories(ofEvent: $0).count
    }
  }
}

/// One observer of one query, reading its stream until it has seen every event that concerns it.
private struct Watcher: Sendable {
  let updates: AsyncStream<QuerySnapshot<FilePayload>>
  /// The events that change the query, ascending.
  let events: [Int]
  let clock: ContinuousCacheClock

  struct Sighting: Sendable {
    var event: Int
    var at: Instant
  }

  /// When each event was first seen.
  ///
  /// A stream keeps the newest snapshot only, so one snapshot may show several events at once; a
  /// later change of a row shows that what it replaced is over. Events carry their number as the
  /// revision of the rows that they change.
  func sightings() async -> [Sighting] {
    var sightings: [Sighting] = []
    guard !events.isEmpty else { return [] }
    for await snapshot in updates {
      let now = clock.now
      let newest = snapshot.rows.map { FileLibrary.revision(of: $0.version) }.max() ?? 0
      while sightings.count < events.count, events[sightings.count] < newest {
        sightings.append(Sighting(event: events[sightings.count], at: now))
      }
      if sightings.count == events.count { break }
    }
    return sightings
  }
}
