import CacheModel
import EvictionPolicies
import Testing

@Suite("Retention")
struct RetentionTests {
  private func order(of name: String, holding count: Slot) throws -> any EvictionOrder {
    let order = try #require(EvictionPolicies.named(name)).makeOrder(nil, RandomSource(seed: 1))
    order.reserve(slots: Int(count))
    for slot in 0..<count { order.didInsert(entry(slot)) }
    return order
  }

  private func entry(_ slot: Slot) -> EvictionEntry {
    EvictionEntry(slot: slot, fingerprint: UInt64(slot))
  }

  private func drain(_ order: any EvictionOrder) -> [Slot] {
    var drained: [Slot] = []
    while let victim = order.nextVictim() {
      drained.append(victim)
      order.didRemove(victim, cause: .evicted)
    }
    return drained
  }

  @Test("a released entity is the youngest", arguments: ["lru", "fifo", "clock", "sieve"])
  func releasedIsYoungest(name: String) throws {
    let order = try order(of: name, holding: 4)
    order.didRetain(0)
    order.didRelease(entry(0))
    #expect(drain(order) == [1, 2, 3, 0])
  }

  @Test("the hand of sieve goes on to the younger neighbour when its slot is retained")
  func handSurvivesRetention() throws {
    let order = try order(of: "sieve", holding: 4)
    order.didHit([entry(0)].span)
    // The hand passes 0 and stops at 1, which is then held back.
    #expect(order.nextVictim() == 1)
    order.didRetain(1)
    order.checkInvariants()
    #expect(order.nextVictim() == 2)
    order.didRelease(entry(1))
    #expect(drain(order) == [2, 3, 1, 0])
  }

  @Test("the hand of sieve wraps when the youngest is retained from under it")
  func handWrapsAfterRetention() throws {
    let order = try order(of: "sieve", holding: 3)
    order.didHit([entry(0), entry(1)].span)
    #expect(order.nextVictim() == 2)
    order.didRetain(2)
    #expect(order.nextVictim() == 0)
    order.checkInvariants()
  }

  @Test(
    "a bit set before retention is not remembered after release", arguments: ["clock", "sieve"])
  func bitsAreForgotten(name: String) throws {
    let order = try order(of: name, holding: 2)
    order.didHit([entry(0)].span)
    order.didRetain(0)
    order.didRelease(entry(0))
    order.didHit([entry(1)].span)
    #expect(order.nextVictim() == 0)
  }
}
