import CacheModel
import NormalizedCache

/// A store driven directly, without an actor: entities in directories, and queries beside them.
final class StoreSubject: Subject {
  private static let rows = 100

  private var store: CacheStore<MeasurementSchema>
  private let population: ScalePopulation
  /// Files that change and are read.
  private let hot: Int
  private var random: RandomSource
  private var revision = 0
  private var actions: [CacheAction] = []
  private let clock = ContinuousCacheClock()
  /// What is prepared: one of the two.
  private var events: [FileEvent] = []
  private var keys: [EntityKey] = []

  /// - Parameters:
  ///   - entities: a multiple of 100.
  ///   - hot: how many of them change; `nil`: all.
  ///   - unrelatedQueries: cached queries that list nothing which changes.
  ///   - seed: for what changes.
  /// - Throws: `CachePolicyError`.
  init(
    entities: Int, hot: Int? = nil, unrelatedQueries: Int = 0, seed: UInt64
  ) throws {
    precondition(entities.isMultiple(of: Self.rows), "\(entities) entities leave a listing short")
    population = ScalePopulation(directories: entities / Self.rows, rows: Self.rows, seed: seed)
    self.hot = hot ?? entities
    random = RandomSource(seed: seed).substream("scale")
    store = try CacheStore(composition: .unlimited, schema: MeasurementSchema())
    for directory in 0..<population.library.directories {
      store.fill(
        population.library.queryKey(ofDirectory: directory),
        with: population.listing(of: directory))
    }
    let empty = FetchResponse<FilePayload>(
      entities: [], hasMore: false, place: population.library.place(sequence: 0))
    for index in 0..<unrelatedQueries { store.fill(population.unrelatedKey(index), with: empty) }
  }

  /// Of entities that are drawn.
  func prepare(_ count: Int) {
    events = (0..<count).map { _ in
      revision += 1
      return population.change(file: random.below(hot), revision: revision)
    }
  }

  /// Of entities that are drawn.
  func prepare(reads count: Int) {
    keys = (0..<count).map { _ in population.library.entityKey(ofFile: random.below(hot)) }
  }

  func perform(_ count: Int) -> Handover {
    defer { (events, keys) = ([], []) }
    precondition(events.count + keys.count == count, "\(count) are performed, others are prepared")
    guard keys.isEmpty else {
      let library = population.library.library
      return clock.time(of: keys) {
        _ = store.readEntity($0, library: library, at: .zero)
        store.takeActions(into: &actions)
      }
    }
    return clock.time(of: events) {
      store.receive($0, at: .zero)
      store.takeActions(into: &actions)
    }
  }
}
