import CacheModel
import NormalizedCache
import SyncStack

/// A store driven directly, without an actor: entities in directories, and queries beside them.
final class StoreSubject: ScaleSubject {
  private static let rows = 100

  private var store: CacheStore<MeasurementSchema>
  private let population: ScalePopulation
  /// Files that change and are read.
  private let hot: Int
  private var random: RandomSource
  private var revision = 0
  private var actions: [CacheAction] = []

  /// - Parameters:
  ///   - entities: a multiple of 100.
  ///   - hot: how many of them change; `nil`: all.
  ///   - unrelatedQueries: cached queries that list nothing which changes.
  ///   - seed: for what changes.
  /// - Throws: `CompositionError`.
  init(
    entities: Int, hot: Int? = nil, unrelatedQueries: Int = 0, seed: UInt64
  ) throws {
    precondition(entities.isMultiple(of: Self.rows), "\(entities) entities leave a listing short")
    population = ScalePopulation(directories: entities / Self.rows, rows: Self.rows, seed: seed)
    self.hot = hot ?? entities
    random = RandomSource(seed: seed).substream("scale")
    store = try CacheStore(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
        maximumQueries: nil),
      schema: MeasurementSchema())
    for directory in 0..<population.library.directories {
      fill(
        population.library.queryKey(ofDirectory: directory), population.listing(of: directory))
    }
    let empty = FetchResponse<FilePayload>(
      entities: [], hasMore: false, place: population.library.place(sequence: 0))
    for index in 0..<unrelatedQueries { fill(population.unrelatedKey(index), empty) }
  }

  private func fill(_ key: QueryKey, _ response: FetchResponse<FilePayload>) {
    guard let fetch = store.read(key, at: .zero).fetch else {
      preconditionFailure("a query that was never asked is fetched")
    }
    store.completeFetch(fetch, with: response, at: .zero)
    store.takeActions(into: &actions)
  }

  /// Events change entities that are drawn; reads open entities that are drawn.
  func measureRound(of operations: Int, clock: ContinuousCacheClock) -> ScaleRound {
    let events = (0..<operations).map { _ in
      revision += 1
      return population.change(file: random.below(hot), revision: revision)
    }
    let keys = (0..<operations).map { _ in
      population.library.entityKey(ofFile: random.below(hot))
    }
    let start = clock.now
    for event in events {
      store.receive(event, at: .zero)
      store.takeActions(into: &actions)
    }
    let applied = clock.now
    for key in keys {
      _ = store.readEntity(key, library: population.library.library, at: .zero)
      store.takeActions(into: &actions)
    }
    let read = clock.now
    return ScaleRound(
      event: Double(applied.nanoseconds - start.nanoseconds) / Double(operations),
      read: Double(read.nanoseconds - applied.nanoseconds) / Double(operations))
  }
}
