import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@MainActor
@Suite("A relation in pages", .timeLimit(.minutes(30)))
struct PagedRelationTests {
  let host: NoteHost
  let cache: NoteCache

  init() throws {
    var server = NoteServer()
    for number in 0..<25 {
      server.write((number, Note(folder: 0, title: Self.title(number), isStarred: true)))
    }
    host = NoteHost(server)
    cache = try NoteCache(
      composition: .test(retention: .referenceCountObserved), schema: NoteSchema(), source: host,
      clock: ManualClock())
  }

  /// A title that sorts by number.
  static func title(_ number: Int) -> String { "\(100 + number)" }
  static func titles(_ count: Int) -> [String] { (0..<count).map(title) }

  func starred(
    pageSize: Int = 10, maximumRows: Int = 10_000
  ) -> PagedRelation<NoteSchema, String> {
    PagedRelation(
      pageSize: pageSize, maximumRows: maximumRows, in: cache, reading: { $0.payload.title }
    ) { limit in NoteQuery.starred(limit: limit).key() }
  }

  func observed() async -> [Int] {
    var limits: [Int] = []
    for limit in 0...40 where await cache.isObserved(NoteQuery.starred(limit: limit).key()) {
      limits.append(limit)
    }
    return limits
  }

  @Test("Pages are added to the end until there are no more, with one query observed at a time")
  func pages() async throws {
    let relation = starred()
    relation.start()
    try await until { !relation.isLoading }
    #expect(relation.data == Self.titles(10))
    #expect(relation.hasMore)
    relation.loadMore()
    #expect(relation.limit == 20)
    #expect(relation.data == Self.titles(10))
    try await until { !relation.isLoading }
    #expect(relation.data == Self.titles(20))
    try await until { await observed() == [20] }
    relation.loadMore()
    relation.loadMore()
    #expect(relation.limit == 30)
    try await until { !relation.isLoading }
    #expect(relation.data == Self.titles(25))
    #expect(!relation.hasMore)
    relation.loadMore()
    #expect(relation.limit == 30)
    #expect(await host.fetchCount == 3)
    try await until { await observed() == [30] }
    #expect(await cache.residentEntities == 25)
    relation.stop()
    try await until { await observed() == [] }
    #expect(await cache.residentEntities == 0)
  }

  @Test("B18 An entity that enters an early page moves the last row off the end")
  func events() async throws {
    let relation = starred()
    relation.start()
    try await until { !relation.isLoading }
    await host.write((77, Note(folder: 0, title: "000", isStarred: true)))
    let event = try #require(await host.server.log.last)
    await cache.receive(event)
    try await until { relation.data == ["000"] + Self.titles(9) }
    relation.loadMore()
    try await until { !relation.isLoading }
    #expect(relation.data == ["000"] + Self.titles(19))
  }

  @Test("A page that fails is asked for again, and the rows before it stay")
  func failure() async throws {
    let relation = starred()
    relation.start()
    try await until { !relation.isLoading }
    await host.setReachable(false)
    relation.loadMore()
    try await until { relation.error != nil && !relation.isLoading }
    #expect(relation.data == Self.titles(10))
    await host.setReachable(true)
    let fetches = await host.fetchCount
    for _ in 0..<5 { relation.loadMore() }
    #expect(relation.limit == 20)
    try await until { relation.data == Self.titles(20) }
    #expect(relation.error == nil)
    #expect(await host.fetchCount == fetches + 1)
    relation.stop()
    for _ in 0..<5 { relation.loadMore() }
    #expect(relation.limit == 20, "nothing is loaded while it is stopped")
  }

  @Test("The limit ends at the maximum")
  func maximum() async throws {
    let relation = starred(maximumRows: 15)
    relation.start()
    try await until { !relation.isLoading }
    relation.loadMore()
    try await until { !relation.isLoading }
    #expect(relation.data == Self.titles(15))
    #expect(!relation.hasMore)
    relation.loadMore()
    #expect(relation.limit == 15)
  }

  @Test("A relation that is dropped lets its query go")
  func dropping() async throws {
    var relation: PagedRelation<NoteSchema, String>? = starred()
    relation?.start()
    try await until { relation?.isLoading == false }
    weak let gone = relation
    relation = nil
    #expect(gone == nil)
    try await until { await observed() == [] }
  }

  @Test("A page size of nothing is refused", .startsProcesses)
  func refusal() async {
    await #expect(processExitsWith: .failure) {
      try await MainActor.run {
        _ = try PagedRelationTests().starred(pageSize: 0)
      }
    }
  }
}
