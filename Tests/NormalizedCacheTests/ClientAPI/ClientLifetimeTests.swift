import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// A payload that counts how many of its kind are alive.
final class Gauge: Sendable {
  let level: Int
  private let alive: Tally

  final class Tally: Sendable {
    let made = Counter()
    let gone = Counter()
    var alive: Int { made.value - gone.value }
  }

  init(level: Int, alive: Tally) {
    self.level = level
    self.alive = alive
    alive.made.increment()
  }

  deinit { alive.gone.increment() }
}

/// One query: all gauges, by key.
struct GaugeSchema: CacheSchema {
  static let type = ResourceType(rawValue: 1)
  static let all = QueryKey(library: .test, method: QueryMethod(rawValue: 1), input: [])

  func plan(for query: QueryKey) -> QueryPlan<Void> {
    QueryPlan(
      predicate: (), scope: QueryScope(kind: 1), limit: nil, resourceTypes: [Self.type])
  }
  func forEachScope(of payload: Gauge, key: EntityKey, _ body: (QueryScope) -> Void) {
    body(QueryScope(kind: 1))
  }
  func weight(of payload: Gauge) -> Int { 1 }
  func areEqual(_ lhs: Gauge, _ rhs: Gauge) -> Bool { lhs.level == rhs.level }
  func belongs(_ payload: Gauge, key: EntityKey, in predicate: Void) -> MatchResult { .member }
  func precedes(
    _ lhs: Gauge, key lhsKey: EntityKey, _ rhs: Gauge, key rhsKey: EntityKey, in predicate: Void
  ) -> Bool { lhsKey < rhsKey }
  func location(of payload: Gauge) -> UniqueID? { nil }
}

struct GaugeSource: CacheSource {
  static let count = 10
  let alive: Gauge.Tally

  static func gauge(_ number: Int, level: Int, alive: Gauge.Tally) -> VersionedEntity<Gauge> {
    VersionedEntity(
      key: EntityKey(type: GaugeSchema.type, id: UniqueID(high: 0, low: UInt64(number))),
      version: Version(clock: UInt64(level + 1), device: 1),
      payload: Gauge(level: level, alive: alive))
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Gauge> {
    let rows = (0..<Self.count).map { Self.gauge($0, level: 0, alive: alive) }
    return FetchResponse(entities: rows, hasMore: false, place: nil)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Gauge> {
    .tooOld(now: position)
  }
}

@MainActor
@Suite("Clients that come and go", .timeLimit(.minutes(30)))
struct ClientLifetimeTests {
  typealias Cache = NormalizedCache<GaugeSchema>
  typealias Client = CachedQueryClient<GaugeSchema, VersionedEntity<Gauge>>

  let alive = Gauge.Tally()
  let cache: Cache

  init() throws {
    // Unobserved data is not kept, so the remaining objects show who retains them.
    cache = try Cache(
      composition: .test(retention: .referenceCountObserved), schema: GaugeSchema(),
      source: GaugeSource(alive: alive), clock: ManualClock())
  }

  /// Keeps the main actor's thread.
  static func spin() { for _ in 0..<1_000 {} }

  @Test("B34 A client keeps only the rows that it shows, during a stall and afterwards")
  func oneSnapshot() async throws {
    let client = Client(GaugeSchema.all, in: cache)
    client.start()
    try await until { client.hasResult }
    #expect(alive.alive == GaugeSource.count)
    let done = Counter()
    Task.detached { [cache, alive] in
      for level in 1...500 {
        await cache.updateEntity(
          GaugeSource.gauge(3, level: level, alive: alive), library: .test)
      }
      done.increment()
    }
    // The main actor is kept busy, so that the client cannot follow.
    while done.value == 0 { Self.spin() }
    // One row each: the cache's, the one that is shown, the one that waits to be shown.
    #expect(alive.alive <= GaugeSource.count + 2)
    try await until { client.data.dropFirst(3).first?.payload.level == 500 }
    try await until { alive.alive == GaugeSource.count }
  }

  @Test("B34 After a change a client reads the rows that changed, and no others")
  func readsWhatChanged() async throws {
    let read = Counter()
    let client = CachedQueryClient(GaugeSchema.all, in: cache) { row in
      read.increment()
      return row.payload.level
    }
    client.start()
    try await until { client.data.count == GaugeSource.count }
    #expect(read.value == GaugeSource.count)
    await cache.updateEntity(GaugeSource.gauge(3, level: 7, alive: alive), library: .test)
    try await until { client.data.contains(7) }
    #expect(read.value == GaugeSource.count + 1)
    // One that leaves moves those behind it up.
    await cache.deleteEntity(
      GaugeSource.gauge(2, level: 0, alive: alive).key, version: Version(clock: 9, device: 1),
      library: .test)
    try await until { client.data.count == GaugeSource.count - 1 }
    #expect(client.data == [0, 0, 7, 0, 0, 0, 0, 0, 0])
    #expect(read.value == GaugeSource.count + 1)
  }

  @Test("B34 Dropping a client frees its rows, and the cache's if no other observes them")
  func dropping() async throws {
    var client: Client? = Client(GaugeSchema.all, in: cache)
    client?.start()
    try await until { client?.hasResult == true }
    weak let gone = client
    client = nil
    #expect(gone == nil)
    try await until { await !cache.isObserved(GaugeSchema.all) }
    #expect(await cache.residentEntities == 0)
    try await until { alive.alive == 0 }
  }

  @Test("B33 A client dropped while it waits for its first answer is gone immediately")
  func droppingEarly() async throws {
    let host = NoteHost()
    await host.hold(true)
    let notes = try NoteCache(
      composition: .test(), schema: NoteSchema(), source: host, clock: ManualClock())
    let folder = NoteQuery.folder(0).key()
    var client: CachedQueryClient<NoteSchema, String>? = CachedQueryClient(
      folder, in: notes, reading: \.title)
    client?.start()
    try await until { await notes.isObserved(folder) }
    weak let gone = client
    client = nil
    #expect(gone == nil)
    try await until { await !notes.isObserved(folder) }
    await host.hold(false)
  }

  @Test("B33 A thousand clients that came and went leave the cache as it was")
  func manyCycles() async throws {
    for cycle in 0..<1_000 {
      let client = Client(GaugeSchema.all, in: cache)
      client.start()
      // Some end before they have begun, some are stopped, some are dropped with rows in hand.
      if cycle.isMultiple(of: 3) { try await until { client.hasResult } }
      if cycle.isMultiple(of: 2) { client.stop() }
    }
    try await until { await !cache.isObserved(GaugeSchema.all) }
    try await until { await cache.residentEntities == 0 }
    #expect(await cache.observersAndFollowers == [0, 0])
    try await until { alive.alive == 0 }
  }

  @Test("B33 A client lets its cache go")
  func cacheIsFreed() async throws {
    var own: Cache? = try Cache(
      composition: .test(), schema: GaugeSchema(), source: GaugeSource(alive: alive),
      clock: ManualClock())
    weak let gone = own
    var client: Client? = own.map { Client(GaugeSchema.all, in: $0) }
    own = nil
    client?.start()
    try await until { client?.hasResult == true }
    client = nil
    try await until { gone == nil }
    try await until { alive.alive == 0 }
  }
}
