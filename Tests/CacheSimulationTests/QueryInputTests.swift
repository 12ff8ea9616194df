import CacheModel
import CacheSimulation
import Testing
import Workloads

@Suite("Keys of queries")
struct QueryInputTests {
  private static let library = LibraryID(rawValue: UniqueID(high: 1, low: 2))

  private static func key(_ spec: QuerySpec) -> QueryKey {
    QueryKey(library: library, method: spec.kind.method, input: QueryInput.encode(spec))
  }

  @Test(
    "A query's key leads back to the query", arguments: QueryKind.allCases,
    [nil] + ListOrder.allCases)
  func leadsBack(kind: QueryKind, order: ListOrder?) {
    let spec = QuerySpec(
      kind: kind, subject: 0x0123_4567_89ab_cdef, prefixLength: 7, limit: 0x0102_0304, order: order)
    #expect(QueryInput.decode(Self.key(spec)) == spec)
  }

  @Test("Queries that differ in their order alone have keys of their own; none has the old key")
  func ordersDiffer() {
    var spec = QuerySpec(kind: .directory, subject: 1, limit: 10)
    let keys = ([nil] + ListOrder.allCases).map { order in
      spec.order = order
      return Self.key(spec)
    }
    #expect(Set(keys).count == 4)
    #expect(keys[0].input == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 10])
  }

  @Test("A key that no query has leads nowhere", arguments: [12, 14, 15])
  func strange(bytes: Int) {
    let key = QueryKey(
      library: Self.library, method: QueryKind.directory.method,
      input: [UInt8](repeating: 9, count: bytes))
    #expect(QueryInput.decode(key) == nil)
  }
}
