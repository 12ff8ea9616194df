import CacheModel
import FoundationEssentials
import NormalizedCache

/// The real actor: one query that changes and is read, observers of others, and tasks that read.
struct ActorSubject: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let population: ScalePopulation
  private let readers: Int
  /// What each task reads by; none if they read on the actor.
  private let queryReaders: [QueryReader<MeasurementSchema>]
  private let clock = ContinuousCacheClock()
  /// The last change.
  private var revision = 0
  /// What is prepared; none: reads.
  private var events: [FileEvent] = []

  /// - Parameters:
  ///   - observers: of queries that do not list what changes, one each.
  ///   - readers: tasks that share the reads of a turn.
  ///   - readBeside: whether each reads by a `QueryReader`, without the actor.
  ///   - seed: for the data.
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
    // The first read after a change waits for the actor; asked is what reads cost that need not.
    for reader in queryReaders { _ = await reader.rows() }
  }

  mutating func perform(_ count: Int) async -> Handover {
    guard events.isEmpty else {
      defer { events = [] }
      return await receive(events, on: cache)
    }
    return await read(count)
  }

  /// Applied on the actor: getting there costs the same with any number of observers.
  private func receive(
    _ events: [FileEvent], on cache: isolated NormalizedCache<MeasurementSchema>
  ) -> Handover {
    clock.time(of: events) { cache.receive($0) }
  }

  /// From tasks outside, which wait for their turn on the actor or read without it.
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

/// A cache of the made library, with every query of it cached and observed.
struct LibrarySubject: Subject, Sendable {
  /// Events as they travel, the next first.
  var messages: ArraySlice<Data> = []
  private let cache: NormalizedCache<MeasurementSchema>
  private let stamps = ObserverStamps()
  private let decoder = WireDecoder()
  private let clock: ContinuousCacheClock

  /// Fills the cache and observes every query.
  ///
  /// - Throws: what a fetch throws.
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

  /// Decodes one event and hands it over.
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
