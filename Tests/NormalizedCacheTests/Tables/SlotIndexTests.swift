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
    var keys = Column<EntityKey>(
      filler: EntityKey(type: ResourceType(rawValue: 0), id: UniqueID(high: 0, low: 0)))
    keys.grow(toAtLeast: keyCount)
    for slot in 0..<keyCount {
      // Few distinct words, so that homes collide.
      keys[slot] = EntityKey(
        type: ResourceType(rawValue: UInt16(slot % 3)),
        id: UniqueID(high: UInt64(slot / 7), low: UInt64(slot % 7) << 60))
    }
    var index = SlotIndex()
    var model: Set<Int> = []
    for _ in 0..<4_000 {
      let slot = random.below(keyCount)
      if model.remove(slot) != nil {
        index.remove(Slot(slot), in: keys)
      } else {
        index.insert(Slot(slot), in: keys)
        model.insert(slot)
      }
      let probe = random.below(keyCount)
      #expect(index.find(keys[probe], in: keys) == (model.contains(probe) ? Slot(probe) : nil))
    }
    #expect(index.count == model.count)
    for slot in 0..<keyCount {
      #expect((index.find(keys[slot], in: keys) != nil) == model.contains(slot))
    }
  }
}
