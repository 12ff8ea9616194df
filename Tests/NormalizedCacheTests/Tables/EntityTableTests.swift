import CacheModel
import Testing

@testable import NormalizedCache

@Suite("What is known of entities")
struct EntityTableTests {
  @Test("What is known of one beside its value is one line of the processor's cache")
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
    #expect(table.setPayload(1, weight: 1, of: slot) == nil)
    table.expect(keys[0])
    #expect(table.slot(of: keys[0]) == slot)
    #expect(table.slot(of: keys[1]) == nil)
    table.removePayload(of: slot)
    table.freeIfUnused(slot)
    #expect(table.slot(of: keys[0]) == nil)
    #expect(table.obtainSlot(of: keys[1]) == slot)
    #expect(table.slot(of: keys[0]) == nil)
    #expect(table.slot(of: keys[1]) == slot)
  }
}
