import CacheModel
import EvictionPolicies
import Testing

@testable import NormalizedCache

@Suite("Finding slots by key")
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
}
