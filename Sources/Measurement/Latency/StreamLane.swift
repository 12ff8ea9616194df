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
    var lastEvent = [Int?](repeating: nil, count: library.directories)
    for event in lane.arrivals.offsets.indices {
      for directory in lane.script.directories(ofEvent: event) { lastEvent[directory] = event }
    }
    var watchers: [Watcher] = []
    for (directory, key) in library.queryKeys.enumerated() {
      let updates = await cache.updates(of: key)
      _ = try await cache.query(key)
      if let last = lastEvent[directory] {
        watchers.append(Watcher(updates: updates, lastEvent: last, clock: lane.clock))
      }
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

/// One observer of one query, reading its stream until it has seen the last event that concerns it.
private struct Watcher: Sendable {
  let updates: AsyncStream<QuerySnapshot<FilePayload>>
  let lastEvent: Int
  let clock: ContinuousCacheClock

  struct Sighting: Sendable {
    var event: Int
    var at: Instant
  }

  /// When each event was first seen. A snapshot may show several at once; events carry their number
  /// as the revision of the rows that they change.
  func sightings() async -> [Sighting] {
    var sightings: [Sighting] = []
    var newest = 0
    for await snapshot in updates {
      let now = clock.now
      let revisions = snapshot.rows.map { FileLibrary.revision(of: $0.version) }
      var seen = newest
      // A batch gives many rows one revision.
      for revision in Set(revisions.filter { $0 > newest }).sorted() {
        sightings.append(Sighting(event: revision - 1, at: now))
        seen = revision
      }
      newest = seen
      if newest > lastEvent { break }
    }
    return sightings
  }
}
