import CacheModel
import NormalizedCache

/// The real actor: one query that changes and is read, observers of others, and tasks that read.
final class ActorSubject: ScaleSubject, Sendable {
  private let cache: NormalizedCache<MeasurementSchema>
  private let population: ScalePopulation
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
    population = ScalePopulation(directories: observers + 1, rows: 1, seed: seed)
    let library = population.library
    self.readers = readers
    cache = try NormalizedCache(
      composition: .unlimited, schema: MeasurementSchema(),
      source: LibraryServer(library: library))
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

  /// Applied on the actor: getting there costs the same beside any number of observers.
  func timeEvents(_ count: Int, _ clock: ContinuousCacheClock) async -> Int64 {
    await timeEvents(count, clock, on: cache)
  }

  /// From tasks outside, which wait for their turn on the actor or read beside it.
  func timeReads(_ count: Int, _ clock: ContinuousCacheClock) async -> Int64 {
    let key = population.library.entityKey(ofFile: 0)
    // The first read after a change waits for the actor; asked is what reads cost that need not.
    for reader in queryReaders { _ = await reader.rows() }
    let start = clock.now
    await withTaskGroup { group in
      for number in 0..<readers {
        let share = count / readers + (number < count % readers ? 1 : 0)
        group.addTask { [cache, queryReaders] in
          guard queryReaders.isEmpty else {
            for _ in 0..<share { _ = await queryReaders[number].rows() }
            return
          }
          for _ in 0..<share { _ = await cache.entity(key) }
        }
      }
    }
    return clock.now.nanoseconds - start.nanoseconds
  }

  private func timeEvents(
    _ count: Int, _ clock: ContinuousCacheClock,
    on cache: isolated NormalizedCache<MeasurementSchema>
  ) -> Int64 {
    let known = cache.entity(population.library.entityKey(ofFile: 0))?.version
    let first = known.map { FileLibrary.revision(of: $0) + 1 } ?? 1
    let events = (first..<first + count).map { population.change(file: 0, revision: $0) }
    return clock.time(of: events) { cache.receive($0) }
  }
}
