import CacheModel
import Testing

@testable import EvictionPolicies
@testable import NormalizedCache
@testable import NormalizedCacheCore

@Suite("The model of memory")
struct MemoryModelTests {
  private static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  /// A cache of this many entities, in queries that list as many each, or all of them the first.
  private func fill(
    entities: Int, queries: Int, order: String = "lru", admission: String = "always",
    isPersistent: Bool = false, listsSame: Bool = false
  ) throws -> CacheStore<PlainSchema> {
    var store = try CacheStore(
      composition: CachePolicy(
        evictionOrder: order, admission: admission, capacity: Capacity(entities: entities),
        retention: .none,
        freshness: .neverExpires, maximumQueries: queries),
      schema: PlainSchema())
    if isPersistent { store.persist(at: .zero) }
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

  @Test("The model knows the memory layout of the actor's table of observers")
  func observerTable() {
    typealias Table = NormalizedCache<PlainSchema>.ObserverTable
    #expect(MemoryModel.observerStride == MemoryLayout<Table.Entry>.stride)
    #expect(MemoryModel.observedStride == MemoryLayout<Table.List>.stride)
  }

  @Test(
    "knows every column: keys, slots and the reverse index are those that the tables count",
    arguments: [(16, 1), (256, 2), (257, 1), (1_000, 10), (10_000, 100), (6_000, 200)])
  func columns(entities: Int, queries: Int) throws {
    let store = try fill(entities: entities, queries: queries)
    let model = MemoryModel(of: store.composition, schema: PlainSchema.self)
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
    let model = MemoryModel(of: store.composition, schema: PlainSchema.self)
    #expect(model.reverseIndex(counts) == store.footprint.reverseIndex)
  }

  @Test(
    "is within a tenth of what the tables count, links of the order aside",
    arguments: [(1_000, 1), (1_000, 10), (1_000, 200), (10_000, 100), (6_000, 60)])
  func total(entities: Int, queries: Int) throws {
    let store = try fill(entities: entities, queries: queries)
    let counts = store.counts
    let predicted = MemoryModel(of: store.composition, schema: PlainSchema.self)
      .bytes(of: counts, valueBytes: 0)
    let counted = store.footprint.total + SlotList.allocatedBytes(slots: counts.slots)
    let error = abs(Double(predicted) / Double(counted) - 1)
    #expect(error <= 0.1, "\(predicted) predicted, \(counted) counted")
  }

  @Test(
    "knows the record of changes, before its first batch and when everything is stored",
    arguments: [(16, 1), (300, 2), (6_000, 60)])
  func persistence(entities: Int, queries: Int) throws {
    var store = try fill(entities: entities, queries: queries, isPersistent: true)
    let model = MemoryModel(of: store.composition, schema: PlainSchema.self)
    // A mark of a byte for each place, to the next power of two, and a place in a list; how far that
    // grows ahead is the allocator's choice, and this one may be another.
    func isNear(_ counts: StoreCounts) -> Bool {
      let marks = [entities, queries].reduce(0) {
        $0 + (1 << (Int.bitWidth - ($1 - 1).leadingZeroBitCount))
      }
      let listed = 4 * (entities + queries)
      return (marks + listed...marks + 3 * listed + 128).contains(model.persistence(counts))
    }
    #expect(isNear(store.counts))

    store.flush(at: .zero)
    let batch = store.takeBatch(wallClock: .zero, at: .zero)
    store.completeFlush(try #require(batch).number, at: .zero)
    #expect(store.counts.changedSlots == entities, "the list keeps its room")
    #expect(isNear(store.counts))

    let off = try fill(entities: entities, queries: queries)
    #expect(model.persistence(off.counts) == off.footprint.persistence)
  }

  @Test("knows probation, which is a list of the store's own")
  func probation() throws {
    let store = try fill(entities: 600, queries: 2, admission: "probation")
    let model = MemoryModel(of: store.composition, schema: PlainSchema.self)
    var counts = store.counts
    #expect(counts.probationSlots == counts.slots)
    // The list grew by a whole response at a time, which the model does not know.
    #expect(abs(Double(model.slot(counts)) / Double(store.footprint.slot) - 1) < 0.1)
    let with = model.slot(counts)
    counts.probationSlots = 0
    #expect(model.slot(counts) < with)
  }

  @Test("adds the sketch of an admission, and its data for each entity")
  func admission() throws {
    let plain = try fill(entities: 10_000, queries: 10)
    let guarded = try fill(entities: 10_000, queries: 10, admission: "tinylfu")
    func bytes(_ store: borrowing CacheStore<PlainSchema>) -> Int {
      MemoryModel(of: store.composition, schema: PlainSchema.self)
        .bytes(of: store.counts, valueBytes: 0)
    }
    // 16,384 counted in blocks of eight, each 64 bytes and 4; an entry is five words.
    let sketch = 2_048 * 64 + 2_048 * 4
    let entries = bytes(guarded) - bytes(plain) - sketch
    #expect((10_000 * 40..<16_000 * 40).contains(entries))
  }

  @Test("adds a list of callbacks for each observed query")
  func observers() {
    let model = MemoryModel(
      of: CachePolicy(
        evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
        maximumQueries: nil), schema: PlainSchema.self)
    var counts = StoreCounts()
    #expect(model.observers(counts) == 0)
    counts.observedQueries = 6
    counts.observers = 6 * 8
    // One callback of 32 bytes and an array's header take 64, then room is doubled: 96, 160, 320.
    // A list is a key and one reference; one takes 80, then 112, 192, 384. Eight buckets find the six.
    let finding = 64 + 8 + 8 * (MemoryLayout<QueryKey>.stride + 4)
    #expect(model.observers(counts) == 6 * 320 + 384 + AllocationSize.rounded(finding))
    let without = counts.observers
    counts.observers = 0
    let bare = model.bytes(of: counts, valueBytes: 0)
    counts.observers = without
    #expect(model.bytes(of: counts, valueBytes: 0) == bare + model.observers(counts))
  }

  @Test("adds the memory behind values, and the width of their positions")
  func values() throws {
    let store = try fill(entities: 1_024, queries: 1)
    let narrow = MemoryModel(of: store.composition, schema: PlainSchema.self, valueStride: 8)
    let wide = MemoryModel(of: store.composition, schema: PlainSchema.self, valueStride: 16)
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
  func belongs(_ payload: UInt64, key: EntityKey, in predicate: Int) -> MatchResult { .member }
  func precedes(
    _ lhs: UInt64, key lhsKey: EntityKey, _ rhs: UInt64, key rhsKey: EntityKey, in predicate: Int
  ) -> Bool { lhsKey < rhsKey }
  func location(of payload: UInt64) -> UniqueID? { nil }
}
