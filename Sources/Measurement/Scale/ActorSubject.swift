import CacheModel
import NormalizedCache
import SyncStack

/// The real actor: one query that changes and is read, observers of others, and tasks that read.
final class ActorSubject: ScaleSubject, Sendable {
  private let cache: NormalizedCache<MeasurementSchema>
  private let library: FileLibrary
  private let readers: Int
  /// What each task reads by; none where they read on the actor.
  private let queryReaders: [QueryReader<MeasurementSchema>]

  /// - Parameters:
  ///   - observers: of queries that do not list what changes, one each.
  ///   - readers: tasks that share the reads of a turn.
  ///   - readBeside: whether each reads by a `QueryReader`, beside the actor.
  ///   - seed: for the data.
  /// - Throws: `CompositionError`.
  init(
    observers: Int, readers: Int = 1, readBeside: Bool = false, seed: UInt64
  ) async throws {
    library = FileLibrary(directories: observers + 1, filesPerDirectory: 1, seed: seed)
    self.readers = readers
    cache = try NormalizedCache(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
        maximumQueries: nil),
      schema: MeasurementSchema(), source: LibraryServer(library: library))
    for key in library.queryKeys {
      _ = try await cache.query(key)
      _ = await cache.observe(key) { _, _ in }
    }
    var queryReaders: [QueryReader<MeasurementSchema>] = []
    for _ in 0..<(readBeside ? readers : 0) {
      queryReaders.append(await QueryReader(library.queryKey(ofDirectory: 0), in: cache))
    }
    self.queryReaders = queryReaders
  }

  /// Events are applied on the actor; reads come from tasks outside, and wait for their turn on it.
  func measureRound(of operations: Int, clock: ContinuousCacheClock) async -> ScaleRound {
    let event = await applyEvents(operations, clock, on: cache)
    let share = max(operations / readers, 1)
    let key = library.entityKey(ofFile: 0)
    let start = clock.now
    await withTaskGroup { group in
      for number in 0..<readers {
        group.addTask { [cache, queryReaders] in
          guard queryReaders.isEmpty else {
            for _ in 0..<share { _ = await queryReaders[number].rows() }
            return
          }
          for _ in 0..<share { _ = await cache.entity(key) }
        }
      }
    }
    let elapsed = clock.now.nanoseconds - start.nanoseconds
    return ScaleRound(event: event, read: Double(elapsed) / Double(share * readers))
  }

  private func applyEvents(
    _ operations: Int, _ clock: ContinuousCacheClock,
    on cache: isolated NormalizedCache<MeasurementSchema>
  ) -> Double {
    let known = cache.entity(library.entityKey(ofFile: 0))?.version
    let first = known.map { FileLibrary.revision(of: $0) + 1 } ?? 1
    let model = library.payload(ofFile: 0, revision: 0)
    let events = (first..<first + operations).map { revision in
      EventEnvelope(
        place: library.place(sequence: revision),
        event: .changed(
          VersionedEntity(
            key: library.entityKey(ofFile: 0), version: FileLibrary.version(ofRevision: revision),
            payload: library.payload(ofFile: 0, like: model, revision: revision))))
    }
    let start = clock.now
    for event in events { cache.receive(event) }
    return Double(clock.now.nanoseconds - start.nanoseconds) / Double(operations)
  }
}
