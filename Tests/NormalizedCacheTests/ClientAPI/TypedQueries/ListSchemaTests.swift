import CacheModel
import CacheTestSupport
import NormalizedCache
import Testing

@Suite("Rules by key paths", .timeLimit(.minutes(30)))
struct ListSchemaTests {
  private let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))
  private let server = BoardServer()

  private func cache() throws -> NormalizedCache<BoardSchema> {
    try NormalizedCache(
      composition: .test(), schema: try BoardSchema(), source: server, clock: ManualClock())
  }

  @Test("B18 Random changes leave each list that is fresh as a server has it that goes through all")
  func differential() async throws {
    let cache = try cache()
    let keys = try [
      CardsOfColumn(column: .numbered(100)).key(in: library),
      CardsOfColumn(column: .numbered(101), isDone: false, limit: 3).key(in: library),
      LabelledCards(label: "b").key(in: library),
      CardsOfOwner(owner: .numbered(200), prefix: "t", points: 2).key(in: library),
      People().key(in: library),
    ]
    for key in keys { _ = try await cache.query(key) }
    var random = RandomSource(seed: 7)
    var compared = 0
    for step in 0..<400 {
      var card = Card(
        column: .numbered(100 + random.below(2)),
        title: ["t", "u"][random.below(2)] + "\(random.below(5))",
        points: random.below(4))
      card.owner = random.chance(0.5) ? .numbered(200 + random.below(2)) : nil
      card.labels = ["a", "b", "c"].filter { _ in random.chance(0.3) }
      card.isDone = random.chance(0.3)
      let number = random.below(12)
      let item: BoardItem =
        step % 10 == 9 ? .person(Person(name: "\(random.below(9))")) : .card(card)
      await cache.updateEntity(await server.write(number, item), library: library)
      for key in keys {
        let snapshot = await cache.snapshot(of: key)
        guard snapshot.isFresh else {
          _ = try await cache.query(key)
          continue
        }
        compared += 1
        #expect(snapshot.rows.map(\.key) == (try await server.answer(key).0.map(\.key)))
      }
    }
    // Lists with a limit must ask now and then, the others never.
    #expect(compared > 1_800)
    #expect(await server.fetchCount < 205)
  }

  @Test("B20 Rules compare texts by their bytes, as servers do, not as characters")
  func texts() async throws {
    struct TitledCards: CachedQuery {
      static let method = QueryMethod(rawValue: 5)
      static let rule = QueryRule<TitledCards>(
        where: [.equal(\.title, \.title)], order: [.descending(\.title)])
      typealias Row = Card
      var title: String
    }
    var schema = try BoardSchema()
    try schema.lists.register(TitledCards.self)
    let cache = try NormalizedCache(
      composition: .test(), schema: schema, source: server, clock: ManualClock())
    // The same character as one scalar and as two; between them comes an f.
    let (one, two) = ("\u{e9}", "e\u{301}")
    let owner = UniqueID.numbered(200)
    let keys = try [
      People().key(in: library), LabelledCards(label: one).key(in: library),
      CardsOfOwner(owner: owner, prefix: "e").key(in: library),
    ]
    for key in keys { _ = try await cache.query(key) }
    var titled: [QueryKey] = []
    for title in [one, two] {
      titled.append(try TitledCards(title: title).key(in: library))
      _ = try await cache.query(titled[titled.count - 1])
    }
    for (number, text) in [one, "f", two].enumerated() {
      var card = Card(column: .numbered(1), title: text)
      card.owner = owner
      card.labels = [text]
      let person = await server.write(number, .person(Person(name: text)))
      await cache.updateEntity(person, library: library)
      await cache.updateEntity(await server.write(10 + number, .card(card)), library: library)
    }
    func listed(_ key: QueryKey) async -> [UInt64] {
      await cache.snapshot(of: key).rows.map(\.key.id.low)
    }
    #expect(await listed(keys[0]) == [2, 1, 0])
    #expect(await listed(keys[1]) == [10])
    #expect(await listed(keys[2]) == [12])
    #expect(await listed(titled[0]) == [10])
    #expect(await listed(titled[1]) == [12])
    #expect(await server.fetchCount == 5, "no list differs from the server's")
  }

  @Test("A typed query returns the app's own values")
  func typed() async throws {
    let cache = try cache()
    for (number, name) in ["b", "a"].enumerated() {
      _ = await server.write(number, .person(Person(name: name)))
    }
    #expect(try await cache.query(People(), in: library).map(\.name) == ["a", "b"])
    #expect(try await cache.query(People(), in: library).count == 2)
    #expect(await server.fetchCount == 1)
  }

  @Test("B17 A query of no registered type is an error that names the remedy, and asks no server")
  @MainActor func notRegistered() async throws {
    struct Columns: CachedQuery {
      static let method = QueryMethod(rawValue: 77)
      static let rule = QueryRule<Columns>(order: [.ascending(\.name)])
      typealias Row = Person
    }
    let cache = try cache()
    let error = ListRulesError.notRegistered(
      Columns.method, schema: "BoardSchema",
      registered: ["CardsOfColumn (1)", "LabelledCards (2)", "CardsOfOwner (3)", "People (4)"])
    for _ in 0..<2 {
      await #expect(throws: error) { try await cache.query(Columns(), in: library) }
    }
    #expect(
      "\(error)" == "BoardSchema has no rule for a query of method 77, only for CardsOfColumn (1), "
        + "LabelledCards (2), CardsOfOwner (3), People (4); in the initializer of BoardSchema call "
        + "`lists.register(TYPE.self)` with the type of queries whose method that is")
    // A view shows it like any other, and continues unaffected.
    let client = try CachedQueryClient(Columns(), in: library, of: cache)
    client.start()
    try await until { client.error != nil }
    #expect(client.error as? ListRulesError == error)
    #expect(client.data.isEmpty && !client.hasResult)
    client.stop()
    #expect(await server.fetchCount == 0)
    #expect(await cache.readStatistics.total.failures == 2)
  }

  @Test("A schema without a rule says so")
  func noRules() {
    let error = ListRulesError.notRegistered(
      QueryMethod(rawValue: 1), schema: "ChatSchema", registered: [])
    #expect("\(error)".hasPrefix("ChatSchema has no rule for a query of method 1; in the init"))
  }

  @Test("An input that no query of its method has is an error, and asks no server")
  func otherInput() async throws {
    let cache = try cache()
    let method = CardsOfColumn.method
    let missing = QueryKey(library: library, method: method, input: Array("{}".utf8))
    await #expect(throws: DecodingError.self) { try await cache.query(missing) }
    let loose = QueryKey(library: library, method: People.method, input: Array("{ }".utf8))
    await #expect(throws: QueryInputError.notCanonical(offset: 1)) {
      try await cache.query(loose)
    }
    #expect(await server.fetchCount == 0)
  }

  @Test("Two types of queries with one method are an error that names both")
  func duplicates() throws {
    var lists = try BoardSchema().lists
    let error = ListRulesError.duplicateMethod(
      People.method, "People", registeredFor: "People")
    #expect(throws: error) { try lists.register(People.self) }
    #expect("\(error)".contains("People"))
  }

  // MARK: Lists from longer ones

  private func fill(_ count: Int, column: Int = 100) async {
    for number in 0..<count {
      _ = await server.write(
        number, .card(Card(column: .numbered(column), title: "\(100 + number)")))
    }
  }

  private func cards(_ limit: Int) throws -> QueryKey {
    try CardsOfColumn(column: .numbered(100), limit: limit).key(in: library)
  }

  @Test("A list is answered from a longer one, also offline, and then exists by itself")
  func longerList() async throws {
    let cache = try cache()
    await fill(40)
    _ = try await cache.query(try cards(30))
    await server.setReachable(false)
    let rows = try await cache.query(try cards(25))
    #expect(rows.map(\.payload) == (try await cache.query(try cards(30))).prefix(25).map(\.payload))
    #expect(await cache.snapshot(of: try cards(25)).hasMore)
    #expect(await server.fetchCount == 1)
    await #expect(throws: BoardServer.OutOfReach.self) { try await cache.query(try cards(31)) }
    // From here on events concern it like any other.
    await cache.updateEntity(
      await server.write(7, .card(Card(column: .numbered(100), title: "000"))), library: library)
    let first = await cache.rows(of: try cards(25)).first
    #expect(first?.key.id == .numbered(7))
  }

  @Test("A list that reaches to the end answers a longer one; another query's does not")
  func wholeList() async throws {
    let cache = try cache()
    await fill(4)
    _ = try await cache.query(try cards(5))
    #expect(try await cache.query(try cards(50)).count == 4)
    #expect(await !cache.snapshot(of: try cards(50)).hasMore)
    #expect(await server.fetchCount == 1)
    let done = CardsOfColumn(column: .numbered(100), isDone: false, limit: 3)
    #expect(try await cache.query(done, in: library).count == 3)
    #expect(await server.fetchCount == 2)
  }

  @Test("A list is as stale as the longer one that it comes from")
  func staleList() async throws {
    let cache = try cache()
    await fill(9)
    _ = try await cache.query(try cards(8))
    await cache.invalidate(try cards(8))
    await server.setReachable(false)
    await #expect(throws: BoardServer.OutOfReach.self) { try await cache.query(try cards(3)) }
    #expect(await cache.rows(of: try cards(3)).count == 3)
    #expect(await !cache.snapshot(of: try cards(3)).isFresh)
    await server.setReachable(true)
    #expect(try await cache.query(try cards(3)).count == 3)
    #expect(await cache.snapshot(of: try cards(3)).isFresh)
  }

  @Test("A list comes from a fresh longer one, though another that is stale was cached before")
  func freshList() async throws {
    let cache = try cache()
    await fill(9)
    for limit in [5, 8] { _ = try await cache.query(try cards(limit)) }
    await cache.invalidate(try cards(5))
    await server.setReachable(false)
    #expect(try await cache.query(try cards(3)).count == 3)
    #expect(await cache.snapshot(of: try cards(3)).isFresh)
  }

  @Test("Offline a relation of 25 shows the first rows of a cached 30")
  @MainActor func relation() async throws {
    let cache = try cache()
    await fill(40)
    _ = try await cache.query(try cards(30))
    await server.setReachable(false)
    let relation = try PagedRelation(
      CardsOfColumn(column: .numbered(100)), pageSize: 25, in: library, of: cache)
    relation.start()
    try await until { relation.data.count == 25 }
    #expect(relation.data.first?.title == "100" && relation.hasMore)
    #expect(relation.error == nil)
    relation.stop()
  }
}

@Suite("Answers against the rules of a schema")
struct RuleMismatchTests {
  private static let column = UniqueID.numbered(100)

  private static func card(
    _ number: Int, _ title: String, points: Int, column: UniqueID = column
  ) -> VersionedEntity<BoardItem> {
    VersionedEntity(
      key: EntityKey(type: Card.resourceType, id: .numbered(number)),
      version: Version(clock: 1, device: 1),
      payload: .card(Card(column: column, title: title, points: points)))
  }

  private static func found(
    _ rows: [VersionedEntity<BoardItem>], hasMore: Bool = false,
    among others: [VersionedEntity<BoardItem>] = [], limit: Int = 5
  ) throws -> [RuleMismatch] {
    let key = try CardsOfColumn(column: column, limit: limit)
      .key(in: LibraryID(rawValue: .numbered(9)))
    return try BoardSchema().mismatches(
      in: FetchResponse(entities: rows, hasMore: hasMore, place: nil), to: key, among: others)
  }

  @Test("An answer by the same rule contradicts nothing")
  func same() throws {
    let rows = [Self.card(1, "b", points: 9), Self.card(2, "a", points: 3)]
    #expect(try Self.found(rows) == [])
    #expect(try Self.found(rows, among: rows) == [])
    // Rows after a window need not be listed, nor rows of other lists.
    let behind = Self.card(3, "c", points: 1)
    let elsewhere = Self.card(4, "d", points: 20, column: .numbered(101))
    #expect(try Self.found(rows, hasMore: true, among: [behind, elsewhere]) == [])
  }

  @Test("Each deviation of the server's rule is named, with the row and the comparison")
  func different() throws {
    let (first, second) = (Self.card(1, "b", points: 9), Self.card(2, "a", points: 3))
    let foreign = Self.card(5, "z", points: 1, column: .numbered(101))
    #expect(try Self.found([second, first]) == [.outOfOrder(first.key, row: 1)])
    #expect(try Self.found([first, foreign]) == [.foreignRow(foreign.key, row: 1)])
    #expect(try Self.found([second], among: [first]) == [.missingRow(first.key)])
    #expect(
      try Self.found([second], hasMore: true, among: [first]) == [.missingRow(first.key)])
    #expect(try Self.found([first, second], limit: 1) == [.tooManyRows(2, limit: 1)])
    for mismatch in try Self.found([second, first, foreign], among: [Self.card(7, "q", points: 2)])
    {
      #expect(mismatch.description.contains("compare `"))
    }
  }

  @Test(
    "A row whose scope differs from the query's is named, since none of its changes would arrive")
  func scope() throws {
    struct Scopeless: CacheSchema {
      func plan(for query: QueryKey) -> QueryPlan<Int> {
        QueryPlan(
          predicate: 0, scope: QueryScope(kind: 1), limit: nil, resourceTypes: [],
          isCacheable: true)
      }
      func forEachScope(of payload: Int, key: EntityKey, _ body: (QueryScope) -> Void) {}
      func weight(of payload: Int) -> Int { 1 }
      func areEqual(_ lhs: Int, _ rhs: Int) -> Bool { lhs == rhs }
      func belongs(_ payload: Int, key: EntityKey, in predicate: Int) -> MatchResult { .member }
      func precedes(
        _ lhs: Int, key lhsKey: EntityKey, _ rhs: Int, key rhsKey: EntityKey, in predicate: Int
      ) -> Bool { lhs < rhs }
      func location(of payload: Int) -> UniqueID? { nil }
    }
    let row = VersionedEntity(
      key: EntityKey(type: Card.resourceType, id: .numbered(1)), version: .none, payload: 3)
    let key = QueryKey(
      library: LibraryID(rawValue: .numbered(9)), method: QueryMethod(rawValue: 1), input: [])
    #expect(
      Scopeless().mismatches(
        in: FetchResponse(entities: [row], hasMore: false, place: nil), to: key)
        == [.outOfScope(row.key, row: 0)])
  }
}
