import CacheModel
import EvictionPolicies
import Testing

@testable import NormalizedCacheCore

@Suite("Growth of the index of keys", .timeLimit(.minutes(30)))
struct SlotIndexGrowthTests {
  @Test("B2 No insertion pays for all: each deals a few slots anew, however many there are")
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
