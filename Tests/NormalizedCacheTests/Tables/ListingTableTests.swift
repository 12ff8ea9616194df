import CacheModel
import EvictionPolicies
import Testing

@testable import NormalizedCacheCore

@Suite("Which queries list an entity", .timeLimit(.minutes(30)))
struct ListingTableTests {
  /// A table with the chains of a few entities, and its expected content.
  private struct Bench: ~Copyable {
    var table = ListingTable()
    var firsts: [Int32]
    /// Per entity: the queries that list it, newest first, and how often.
    var model: [[(query: Int32, multiplicity: Int32)]]

    init(entities: Int) {
      firsts = Array(repeating: -1, count: entities)
      model = Array(repeating: [], count: entities)
    }

    mutating func add(_ query: Int32, to slot: Int) {
      let isNew = table.add(query: query, listing: Slot(slot), to: &firsts[slot])
      let known = model[slot].firstIndex { $0.query == query }
      #expect(isNew == (known == nil))
      if let known {
        model[slot][known].multiplicity += 1
      } else {
        model[slot].insert((query, 1), at: 0)
      }
    }

    mutating func remove(_ query: Int32, from slot: Int) {
      guard let known = model[slot].firstIndex(where: { $0.query == query }) else { return }
      let isGone = table.remove(query: query, listing: Slot(slot), from: &firsts[slot]) != nil
      model[slot][known].multiplicity -= 1
      #expect(isGone == (model[slot][known].multiplicity == 0))
      if isGone { model[slot].remove(at: known) }
    }

    func check() {
      for slot in firsts.indices {
        var chain: [Int32] = []
        var listing = firsts[slot]
        while listing >= 0 {
          chain.append(table[listing].query)
          listing = table[listing].next
        }
        #expect(chain == model[slot].map(\.query))
        for (query, multiplicity) in model[slot] {
          let (found, steps) = table.search(for: query, listing: Slot(slot), from: firsts[slot])
          #expect(found.map { table[$0].multiplicity } == multiplicity)
          #expect(steps <= ListingTable.searchedLength + 1)
        }
      }
    }
  }

  @Test("agrees with plain lists after any sequence of additions and removals", arguments: 0..<20)
  func model(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var bench = Bench(entities: 3)
    let queries = [4, 12, 40][Int(seed) % 3]
    for step in 0..<1_500 {
      let (query, slot) = (Int32(random.below(queries)), random.below(3))
      // Now more come than go, now the other way round.
      if random.below(8) < ((step / 200).isMultiple(of: 2) ? 6 : 2) {
        bench.add(query, to: slot)
      } else {
        bench.remove(query, from: slot)
      }
      if random.below(20) == 0 { bench.check() }
    }
    for query in 0..<Int32(queries) {
      for slot in 0..<3 {
        while bench.model[slot].contains(where: { $0.query == query }) {
          bench.remove(query, from: slot)
        }
      }
    }
    bench.check()
    #expect(bench.firsts == [-1, -1, -1])
    #expect(bench.table.index.count == 0)
  }

  @Test("B1 Whether one of a thousand queries lists an entity is found in a few steps")
  func fewSteps() {
    var bench = Bench(entities: 1)
    for query in 0..<1_000 { bench.add(Int32(query), to: 0) }
    let steps = (0..<2_000).map { query in
      bench.table.search(for: Int32(query), listing: 0, from: bench.firsts[0]).steps
    }
    #expect(steps.max() == ListingTable.searchedLength + 1)
    bench.check()
  }

  @Test("entities that few queries list stay out of the index")
  func indexStaysEmpty() {
    var bench = Bench(entities: 100)
    for query in 0..<ListingTable.searchedLength {
      for slot in 0..<100 { bench.add(Int32(query), to: slot) }
    }
    #expect(bench.table.index.count == 0)
    bench.add(1_000, to: 0)
    #expect(bench.table.index.count == 1)
  }
}

@Suite("Data about entities")
struct EntityTableTests {
  @Test("The data about an entity, without its value, takes one cache line of the processor")
  func record() {
    #expect(MemoryLayout<EntityRecord>.stride == 64)
    #expect(MemoryLayout<Listing>.stride == 16)
  }

  @Test("One that is expected is found while it is in use, and no other in its place")
  func expected() {
    var table = EntityTable<Int>()
    let keys = (0..<2).map { id in
      EntityKey(type: ResourceType(rawValue: 1), id: UniqueID(high: 0, low: id))
    }
    let slot = table.obtainSlot(of: keys[0])
    table.setPayload(1, weight: 1, of: slot)
    #expect(table.slot(of: keys[0], expected: slot) == slot)
    #expect(table.slot(of: keys[1], expected: slot) == nil)
    table.removePayload(of: slot)
    table.freeIfUnused(slot)
    #expect(table.slot(of: keys[0], expected: slot) == nil)
    #expect(table.obtainSlot(of: keys[1], expected: slot) == slot)
    #expect(table.slot(of: keys[0], expected: slot) == nil)
    #expect(table.slot(of: keys[1], expected: slot) == slot)
  }

  @Test("A value is exchanged for another, and the weights follow")
  func exchange() {
    var table = EntityTable<[Int]>()
    let slot = table.obtainSlot(
      of: EntityKey(type: ResourceType(rawValue: 1), id: UniqueID(high: 0, low: 1)))
    table.setPayload([1], weight: 5, of: slot)
    var value = [2]
    table.exchangePayload(of: slot, for: &value, weight: 3)
    #expect(value == [1])
    #expect(table.payload(of: slot) == [2])
    #expect(table.residentWeight == 3 && table.residentCount == 1)
  }
}
