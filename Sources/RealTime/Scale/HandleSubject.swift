import CacheModel
import NormalizedCache

/// A store of handles with direct calls: small enough for ten million of them, listed by any number of
/// queries.
final class HandleSubject: Subject {
  private static let rows = 100

  private var store: CacheStore<HandleSchema>
  private let entities: Int
  private let fanOut: Int
  private var random: RandomSource
  private var revision: UInt32 = 0
  private var actions: [CacheAction] = []
  private let clock = ContinuousCacheClock()
  /// The prepared events or reads; the other is empty.
  private var events: [EventEnvelope<EntityHandle>] = []
  private var keys: [EntityKey] = []

  /// - Parameters:
  ///   - entities: the number of entities, a multiple of 100, in directories of a hundred.
  ///   - fanOut: the number of queries that list each directory.
  ///   - seed: the seed of the changes.
  /// - Throws: `CachePolicyError`.
  init(entities: Int, fanOut: Int = 1, seed: UInt64) throws {
    precondition(entities.isMultiple(of: Self.rows), "\(entities) entities leave a listing short")
    self.entities = entities
    self.fanOut = fanOut
    random = RandomSource(seed: seed).substream("scale")
    store = try CacheStore(composition: .unlimited, schema: HandleSchema())
    for directory in 0..<entities / Self.rows {
      for copy in 0..<fanOut { fill(UInt32(directory), UInt32(copy)) }
    }
    precondition(store.residentEntities == entities, "the cache does not hold its population")
  }

  private func fill(_ directory: UInt32, _ copy: UInt32) {
    let key = HandleSchema.listing(of: directory, copy: copy)
    let first = Int(directory) * Self.rows
    let files = (first..<first + Self.rows).map { entity($0) }
    store.fill(
      key,
      with: FetchResponse(
        entities: files.sorted { $0.key < $1.key }, hasMore: false, place: nil))
  }

  private func entity(_ file: Int) -> VersionedEntity<EntityHandle> {
    VersionedEntity(
      key: HandleSchema.entityKey(ofFile: file),
      version: Version(clock: UInt64(revision) + 1, device: 1),
      payload: EntityHandle(directory: UInt32(file / Self.rows), revision: revision))
  }

  /// Returns the number of queries that list a file.
  func listings(ofFile file: Int) -> Int {
    let directory = UInt32(file / Self.rows)
    let key = HandleSchema.entityKey(ofFile: file)
    return (0..<UInt32(fanOut)).count { copy in
      let rows = store.rows(of: HandleSchema.listing(of: directory, copy: copy)) ?? []
      return rows.contains { $0?.key == key }
    }
  }

  /// Prepares changes of random entities.
  func prepare(_ count: Int) {
    events = (0..<count).map { _ in
      revision += 1
      return EventEnvelope(place: nil, event: .changed(entity(random.below(entities))))
    }
  }

  /// Prepares reads of random entities.
  func prepare(reads count: Int) {
    keys = (0..<count).map { _ in HandleSchema.entityKey(ofFile: random.below(entities)) }
  }

  func perform(_ count: Int) -> Handover {
    defer { (events, keys) = ([], []) }
    precondition(events.count + keys.count == count, "\(count) are performed, others are prepared")
    guard keys.isEmpty else {
      return clock.time(of: keys) {
        _ = store.readEntity($0, library: HandleSchema.library, at: .zero)
        store.takeActions(into: &actions)
      }
    }
    return clock.time(of: events) {
      store.receive($0, library: HandleSchema.library, at: .zero)
      store.takeActions(into: &actions)
    }
  }
}

/// A value of eight bytes without references, as in a cache of references to an app's own store.
struct EntityHandle: Hashable, Sendable, BitwiseCopyable {
  var directory: UInt32
  var revision: UInt32
}

/// The schema of handles: any number of queries list each directory.
struct HandleSchema: CacheSchema {
  static let file = ResourceType(rawValue: 1)
  static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  /// Returns the query that lists a directory; queries that differ only in `copy` list the same.
  static func listing(of directory: UInt32, copy: UInt32 = 0) -> QueryKey {
    QueryKey(
      library: library, method: QueryMethod(rawValue: 1),
      input: withUnsafeBytes(of: (directory.bigEndian, copy.bigEndian)) { Array($0) })
  }

  static func entityKey(ofFile file: Int) -> EntityKey {
    // Hashed, so that keys are distributed like identifiers.
    let mixed = UInt64(file) &* 0xd1b5_4a32_d192_ed03
    return EntityKey(type: Self.file, id: UniqueID(high: mixed, low: UInt64(file)))
  }

  func plan(for query: QueryKey) -> QueryPlan<UInt32> {
    let directory = query.input.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return QueryPlan(
      predicate: directory, scope: scope(of: directory), limit: nil, resourceTypes: [Self.file])
  }

  private func scope(of directory: UInt32) -> QueryScope {
    QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(directory)))
  }

  func forEachScope(of payload: EntityHandle, key: EntityKey, _ body: (QueryScope) -> Void) {
    body(scope(of: payload.directory))
  }

  func weight(of payload: EntityHandle) -> Int { 8 }
  func areEqual(_ lhs: EntityHandle, _ rhs: EntityHandle) -> Bool { lhs == rhs }

  func belongs(_ payload: EntityHandle, key: EntityKey, in predicate: UInt32) -> MatchResult {
    payload.directory == predicate ? .member : .notMember
  }

  func precedes(
    _ lhs: EntityHandle, key lhsKey: EntityKey, _ rhs: EntityHandle, key rhsKey: EntityKey,
    in predicate: UInt32
  ) -> Bool { lhsKey < rhsKey }

  func location(of payload: EntityHandle) -> UniqueID? { nil }
}

/// A store without an actor: entities in directories, and other queries.
final class StoreSubject: Subject {
  private static let rows = 100

  private var store: CacheStore<MeasurementSchema>
  private let population: ScalePopulation
  /// The number of files that change and are read.
  private let hot: Int
  private var random: RandomSource
  private var revision = 0
  private var actions: [CacheAction] = []
  private let clock = ContinuousCacheClock()
  /// The prepared events or reads; the other is empty.
  private var events: [FileEvent] = []
  private var keys: [EntityKey] = []

  /// - Parameters:
  ///   - entities: the number of entities, a multiple of 100.
  ///   - hot: the number of entities that change; `nil`: all.
  ///   - unrelatedQueries: the number of cached queries without changes.
  ///   - seed: the seed of the changes.
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

  /// Prepares changes of random entities.
  func prepare(_ count: Int) {
    events = (0..<count).map { _ in
      revision += 1
      return population.change(file: random.below(hot), revision: revision)
    }
  }

  /// Prepares reads of random entities.
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
