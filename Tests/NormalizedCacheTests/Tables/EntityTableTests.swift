import CacheModel
import Testing

@testable import NormalizedCacheCore

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
