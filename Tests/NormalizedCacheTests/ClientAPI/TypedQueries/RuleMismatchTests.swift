import CacheModel
import CacheTestSupport
import NormalizedCache
import Testing

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
    // What stands behind a window need not be listed, nor what belongs elsewhere.
    let behind = Self.card(3, "c", points: 1)
    let elsewhere = Self.card(4, "d", points: 20, column: .numbered(101))
    #expect(try Self.found(rows, hasMore: true, among: [behind, elsewhere]) == [])
  }

  @Test("Each way in which the server's rule differs is named, with the row and what to compare")
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

  @Test("A row whose scope is not the query's is named, since no change of it would arrive")
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
      func belongs(_ payload: Int, key: EntityKey, in predicate: Int) -> Belonging { .member }
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
