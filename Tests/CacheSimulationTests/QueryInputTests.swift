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
    "A query's key leads back to the query",
    arguments: [QueryKind.directory, .search, DataModel.kind(ofShape: 59)],
    [Revision.noObject, 0, 0xfedc_ba98])
  func leadsBack(kind: QueryKind, after: UInt32) {
    let spec = QuerySpec(
      kind: kind, subject: 0x0123_4567_89ab_cdef, prefixLength: 7, limit: 0x0102_0304, after: after)
    #expect(QueryInput.decode(Self.key(spec)) == spec)
  }

  @Test("Only a page has the bytes of a cursor")
  func cursor() {
    let input: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 10]
    #expect(Self.key(QuerySpec(kind: .directory, subject: 1, limit: 10)).input == input)
    let page = QuerySpec(kind: .directory, subject: 1, limit: 10, after: 258)
    #expect(Self.key(page).input == input + [0, 0, 0, 1, 2])
  }

  @Test("A key that no query has leads nowhere", arguments: [12, 14, 15])
  func strange(bytes: Int) {
    let key = QueryKey(
      library: Self.library, method: QueryKind.directory.method,
      input: [UInt8](repeating: 9, count: bytes))
    #expect(QueryInput.decode(key) == nil)
  }
}
