import CacheModel
import FoundationEssentials
import NormalizedCache

/// The actual actor, with one query that changes and is read, observers of other queries, and tasks that
/// read.
struct ActorSubject: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let population: ScalePopulation
  private let readers: Int
  /// The tasks' readers; empty if they read on the actor.
  private let queryReaders: [QueryReader<MeasurementSchema>]
  private let clock = ContinuousCacheClock()
  /// The last change.
  private var revision = 0
  /// The prepared events; empty for reads.
  private var events: [FileEvent] = []

  /// - Parameters:
  ///   - observers: the number of observers, each of another query without changes.
  ///   - readers: the number of tasks that share the reads of a turn.
  ///   - readBeside: whether each reads with a `QueryReader`, without the actor.
  ///   - seed: the seed of the data.
  /// - Throws: `CachePolicyError`.
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

  mutating func prepare(_ count: Int) {
    events = (revision + 1...revision + count).map { population.change(file: 0, revision: $0) }
    revision += count
  }

  mutating func prepare(reads count: Int) async {
    // The first read after a change waits for the actor; only reads without the actor are measured.
    for reader in queryReaders { _ = await reader.rows() }
  }

  mutating func perform(_ count: Int) async -> Handover {
    guard events.isEmpty else {
      defer { events = [] }
      return await receive(events, on: cache)
    }
    return await read(count)
  }

  /// Applies events on the actor, since an actor hop has the same cost with any number of observers.
  private func receive(
    _ events: [FileEvent], on cache: isolated NormalizedCache<MeasurementSchema>
  ) -> Handover {
    clock.time(of: events) { cache.receive($0) }
  }

  /// Reads from tasks outside of the actor, which wait for it or read without it.
  private func read(_ count: Int) async -> Handover {
    let key = population.library.entityKey(ofFile: 0)
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
    return Handover(began: start, committed: clock.now)
  }
}

/// A cache of the synthetic library, with all queries cached and observed.
struct LibrarySubject: Subject, Sendable {
  /// Encoded events, the next one first.
  var messages: ArraySlice<Data> = []
  private let cache: NormalizedCache<MeasurementSchema>
  private let stamps = ObserverStamps()
  private let decoder = WireDecoder()
  private let clock: ContinuousCacheClock

  /// Fills the cache and observes every query.
  ///
  /// - Throws: a fetch's error.
  init(
    cache: NormalizedCache<MeasurementSchema>, library: FileLibrary, clock: ContinuousCacheClock
  ) async throws {
    self.cache = cache
    self.clock = clock
    for key in library.queryKeys {
      _ = await cache.observe(key) { [stamps] _, _ in stamps.notify(at: clock.now) }
      _ = try await cache.query(key)
    }
  }

  /// Decodes one event and passes it to the cache.
  mutating func perform(_ count: Int) async throws -> Handover {
    guard count == 1, let bytes = messages.popFirst() else {
      preconditionFailure("no event is left")
    }
    let envelope = try decoder.envelope(from: bytes)
    _ = stamps.take()
    let decoded = clock.now
    await cache.receive(envelope) { [stamps, clock] in stamps.commit(at: clock.now) }
    let (committed, notified, calls) = stamps.take()
    return Handover(began: decoded, committed: committed, notified: calls > 0 ? notified : nil)
  }
}
