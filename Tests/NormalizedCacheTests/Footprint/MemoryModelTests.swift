import CacheModel
import Testing

@testable import EvictionPolicies
@testable import NormalizedCache

@Suite("The model of memory")
struct MemoryModelTests {
  private static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  /// A cache of so many entities, in queries that list as many each, or all of them the first.
  private func fill(
    entities: Int, queries: Int, order: String = "lru", listsSame: Bool = false
  ) throws -> CacheStore<PlainSchema> {
    var store = try CacheStore(
      composition: PolicyComposition(
        evictionOrder: order, capacity: Capacity(entities: entities), retention: .none,
        freshness: .neverExpires, maximumQueries: queries),
      schema: PlainSchema())
    let rows = entities / queries
    for query in 0..<queries {
      let key = QueryKey(
        library: Self.library, method: QueryMethod(rawValue: 1),
        input: [UInt8](repeating: 7, count: 15) + [UInt8(query)])
      let fetch = try #require(store.read(key, at: .zero).fetch)
      let first = listsSame ? 0 : query * rows
      let listed = (first..<first + rows).map {
        VersionedEntity(
          key: EntityKey(
            type: ResourceType(rawValue: 1), id: UniqueID(high: 1, low: UInt64($0))),
          version: Version(clock: 1, device: 1), payload: UInt64($0))
      }
      store.completeFetch(
        fetch, with: FetchResponse(entities: listed, hasMore: false, place: nil), at: .zero)
      _ = store.takeActions()
    }
    return store
  }

  @Test(
    "knows every column: keys, slots and the reverse index are those that the tables count",
    arguments: [(16, 1), (256, 2), (257, 1), (1_000, 10), (10_000, 100), (6_000, 200)])
  func columns(entities: Int, queries: Int) throws {
    let store = try fill(entities: entities, queries: queries)
    let model = MemoryModel<PlainSchema>(of: store.composition)
    let counts = store.counts
    #expect(counts.slots == entities / queries * queries)
    #expect(model.key(counts) == store.footprint.key)
    #expect(model.slot(counts) == store.footprint.slot)
    #expect(model.reverseIndex(counts) == store.footprint.reverseIndex)
  }

  @Test("knows the index of entities that many queries list", arguments: [1, 8, 9, 60])
  func sharedEntities(queries: Int) throws {
    let store = try fill(entities: 50 * queries, queries: queries, listsSame: true)
    let counts = store.counts
    #expect(counts.slots == 50)
    #expect(counts.indexedListings == 50 * max(queries - ListingTable.searchedLength, 0))
    let model = MemoryModel<PlainSchema>(of: store.composition)
    #expect(model.reverseIndex(counts) == store.footprint.reverseIndex)
  }

  @Test(
    "is within a tenth of what the tables count, links of the order aside",
    arguments: [(1_000, 1), (1_000, 10), (1_000, 200), (10_000, 100), (6_000, 60)])
  func total(entities: Int, queries: Int) throws {
    let store = try fill(entities: entities, queries: queries)
    let counts = store.counts
    let predicted = MemoryModel<PlainSchema>(of: store.composition).bytes(of: counts, valueBytes: 0)
    let counted = store.footprint.total + SlotList.allocatedBytes(slots: counts.slots)
    let error = abs(Double(predicted) / Double(counted) - 1)
    #expect(error <= 0.1, "\(predicted) predicted, \(counted) counted")
  }

  @Test("adds what values point to, and the width of their places")
  func values() throws {
    let store = try fill(entities: 1_024, queries: 1)
    let narrow = MemoryModel<PlainSchema>(of: store.composition, valueStride: 8)
    let wide = MemoryModel<PlainSchema>(of: store.composition, valueStride: 16)
    let counts = store.counts
    let bytes = narrow.bytes(of: counts, valueBytes: 0)
    #expect(narrow.bytes(of: counts, valueBytes: 1_000) == bytes + 1_000)
    #expect(wide.bytes(of: counts, valueBytes: 0) == bytes + 1_024 * 8 + 8)
  }
}

/// Numbers in lists that nothing enters.
private struct PlainSchema: CacheSchema {
  func plan(for query: QueryKey) -> QueryPlan<Int> {
    QueryPlan(
      predicate: 0, scope: QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(query.input[15]))),
      limit: nil, resourceTypes: [ResourceType(rawValue: 1)])
  }
  func forEachScope(of payload: UInt64, key: EntityKey, _ body: (QueryScope) -> Void) {}
  func weight(of payload: UInt64) -> Int { 8 }
  func areEqual(_ lhs: UInt64, _ rhs: UInt64) -> Bool { lhs == rhs }
  func belongs(_ payload: UInt64, key: EntityKey, in predicate: Int) -> Belonging { .member }
  func precedes(
    _ lhs: UInt64, key lhsKey: EntityKey, _ rhs: UInt64, key rhsKey: EntityKey, in predicate: Int
  ) -> Bool { lhsKey < rhsKey }
  func location(of payload: UInt64) -> UniqueID? { nil }
}
