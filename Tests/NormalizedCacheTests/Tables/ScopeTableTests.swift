import CacheModel
import EvictionPolicies
import Testing

@testable import NormalizedCacheCore

@Suite("Queries by scope", .timeLimit(.minutes(30)))
struct ScopeTableTests {
  @Test("agrees with a dictionary of lists, and keeps the order in which queries came")
  func model() {
    var random = RandomSource(seed: 1)
    var table = ScopeTable()
    var model: [Int: [Int32]] = [:]
    // Few distinct words, so that homes collide; the same scopes in two libraries.
    func scope(_ number: Int) -> LibraryScope {
      LibraryScope(
        library: Int16(number % 2),
        scope: QueryScope(
          kind: UInt16(number % 3), id: UniqueID(high: 0, low: UInt64(number / 6) << 60)))
    }
    for _ in 0..<4_000 {
      let (number, query) = (random.below(60), Int32(random.below(20)))
      if let place = model[number]?.firstIndex(of: query) {
        model[number]?.remove(at: place)
        table.remove(query, from: scope(number))
      } else {
        model[number, default: []].append(query)
        table.add(query, to: scope(number))
      }
      let probe = random.below(60)
      #expect(table.queries(in: scope(probe)) == model[probe] ?? [])
    }
    #expect(table.index.count == model.values.count { !$0.isEmpty })
  }
}

@Suite("Finding slots by key", .timeLimit(.minutes(30)))
struct SlotIndexTests {
  @Test("agrees with a dictionary after any sequence of insertions and removals", arguments: 0..<20)
  func model(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let keyCount = 400
    var records = Column<EntityRecord>(filler: EntityRecord())
    records.grow(toAtLeast: keyCount)
    for slot in 0..<keyCount {
      // Few distinct words, so that homes collide.
      records[slot].key = EntityKey(
        type: ResourceType(rawValue: UInt16(slot % 3)),
        id: UniqueID(high: UInt64(slot / 7), low: UInt64(slot % 7) << 60))
    }
    var index = SlotIndex<EntityRecord>()
    var model: Set<Int> = []
    for _ in 0..<4_000 {
      let slot = random.below(keyCount)
      if model.remove(slot) != nil {
        index.remove(Slot(slot), in: records)
      } else {
        index.insert(Slot(slot), in: records)
        model.insert(slot)
      }
      let probe = random.below(keyCount)
      #expect(
        index.find(records[probe].key, in: records) == (model.contains(probe) ? Slot(probe) : nil))
    }
    #expect(index.count == model.count)
    for slot in 0..<keyCount {
      #expect((index.find(records[slot].key, in: records) != nil) == model.contains(slot))
    }
  }

  /// Ways in which an app may make identifiers of a number.
  enum Family: CaseIterable {
    case highOnly, lowOnly, both, golden, goldenLow, complement, shifted, timeOrdered

    func id(_ number: UInt64) -> UniqueID {
      let golden: UInt64 = 0x9e37_79b9_7f4a_7c15
      return switch self {
      case .highOnly: UniqueID(high: number, low: 0)
      case .lowOnly: UniqueID(high: 0, low: number)
      case .both: UniqueID(high: number, low: number)
      case .golden: UniqueID(high: number &* golden, low: number)
      case .goldenLow: UniqueID(high: number, low: number &* golden)
      case .complement: UniqueID(high: number, low: ~number)
      case .shifted: UniqueID(high: number << 40, low: number << 20)
      // All of one millisecond, counted by the bits after it, as in version 7 of RFC 9562.
      case .timeOrdered:
        UniqueID(high: 0x0190_0000_0000_7000 | number >> 8, low: 1 << 63 | number & 0xff)
      }
    }
  }

  @Test("chains stay short however identifiers are made", arguments: Family.allCases)
  func chains(of family: Family) {
    let count = 100_000
    var records = Column<EntityRecord>(filler: EntityRecord())
    records.grow(toAtLeast: count)
    var index = SlotIndex<EntityRecord>()
    for slot in 0..<Slot(count) {
      records[slot].key = EntityKey(
        type: ResourceType(rawValue: 1), id: family.id(UInt64(slot)))
      index.insert(slot, in: records)
      // With all in one chain the rest would take forever.
      if slot == 1_000, longestChain(index) > 100 { break }
    }
    #expect(longestChain(index) < 16)
  }

  private func longestChain(_ index: borrowing SlotIndex<EntityRecord>) -> Int {
    var longest = 0
    for bucket in 0..<index.bucketCount {
      var length = 0
      var slot = index.first[bucket]
      while slot >= 0 {
        length += 1
        slot = index.next[slot]
      }
      longest = max(longest, length)
    }
    return longest
  }
}

@Suite("Growth of the index of keys", .timeLimit(.minutes(30)))
struct SlotIndexGrowthTests {
  @Test("B2 No insertion pays for all: each deals a few slots again, however many there are")
  func growsByABucket() {
    let slotCount = 5_000
    var random = RandomSource(seed: 1)
    var records = Column<EntityRecord>(filler: EntityRecord())
    records.grow(toAtLeast: slotCount)
    var index = SlotIndex<EntityRecord>()
    var most = 0
    for slot in 0..<slotCount {
      records[slot].key = EntityKey(
        type: ResourceType(rawValue: 1), id: UniqueID(high: random.next(), low: random.next()))
      let buckets = index.bucketCount
      let dealt = index.length(ofBucket: buckets - index.half)
      index.insert(Slot(slot), in: records)
      guard index.bucketCount > buckets else { continue }
      #expect(index.bucketCount == buckets + 1)
      most = max(most, dealt)
    }
    #expect(index.bucketCount > slotCount / 2)
    #expect(most < 20, "a bucket of \(most) slots was split")
  }
}

extension SlotIndex {
  fileprivate func length(ofBucket bucket: Int) -> Int {
    var length = 0
    var slot = first[bucket]
    while slot != Self.none {
      length += 1
      slot = next[slot]
    }
    return length
  }
}
