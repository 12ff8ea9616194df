import CacheModel
import Testing
import TidemarkTestSupport

@testable import EvictionPolicies

@Suite("Admission")
struct AdmissionTests {
  static let orders = EvictionPolicies.all.filter { $0.isBounded && !$0.needsFuture }.map(\.name)
  static let guards = AdmissionPolicies.all.filter(\.guardsOrders).map(\.name)

  @Test(
    "every order keeps its guarantees behind every admission", arguments: orders, guards)
  func conforms(order: String, admission: String) throws {
    let descriptor = try #require(EvictionPolicies.named("\(order)+\(admission)"))
    for capacity in [nil, 0, 1, 3, 12] as [Int?] {
      for seed in 1...2 as ClosedRange<UInt64> {
        try checkConformance(of: descriptor, capacity: capacity, seed: seed, steps: 250)
      }
    }
  }

  @Test("an order with an admission is called by both names; impossible combinations have none")
  func names() throws {
    #expect(EvictionPolicies.named("lru+always")?.name == "lru")
    let guarded = try #require(EvictionPolicies.named("s3-fifo+tinylfu"))
    #expect(guarded.name == "s3-fifo+tinylfu")
    #expect(
      EvictionPolicies.named("lru+tinylfu")?.summary
        == "Evicts the entity that was used longest ago; admits what was used more often lately "
        + "than what would go for it.")
    for name in [
      "lru+", "+tinylfu", "lru+lru", "tinylfu", "lru+tinylfu+tinylfu", "lru +tinylfu",
      "clairvoyant+tinylfu", "unbounded+tinylfu",
    ] {
      #expect(EvictionPolicies.named(name) == nil, "\(name)")
    }
  }

  @Test("every admission has a line without faults")
  func lines() {
    let lines = AdmissionPolicies.all
    #expect(Set(lines.map(\.name)).count == lines.count)
    for line in lines {
      #expect(line.name.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
      #expect(line.summary.first?.isUppercase == true && line.summary.hasSuffix("."))
      #expect(!line.source.isEmpty)
      #expect(AdmissionPolicies.named(line.name)?.name == line.name)
    }
  }

  @Test("a released entity counts as used: it leaves probation")
  func release() throws {
    let order = try #require(EvictionPolicies.named("lru+probation")).makeOrder(
      10, RandomSource(seed: 1))
    order.reserve(slots: 4)
    func entry(_ slot: Slot) -> EvictionEntry {
      EvictionEntry(slot: slot, fingerprint: UInt64(slot))
    }
    for slot in 0..<4 as Range<Slot> { order.didInsert(entry(slot)) }
    order.didRetain(0)
    order.checkInvariants()
    order.didRelease(entry(0))
    order.checkInvariants()
    var drained: [Slot] = []
    while let victim = order.nextVictim() {
      drained.append(victim)
      order.didRemove(victim, cause: .evicted)
    }
    #expect(drained == [1, 2, 0, 3], "one on probation is within its tenth, and goes last")
  }

  @Test("the victim that a candidate was compared with is the one that goes")
  func comparedVictim() throws {
    let descriptor = try #require(EvictionPolicies.named("random+tinylfu"))
    for seed in 1...20 as ClosedRange<UInt64> {
      let order = descriptor.makeOrder(8, RandomSource(seed: seed))
      order.reserve(slots: 9)
      // Each has been used as often as its number says.
      for slot in 0..<8 as Range<Slot> {
        let entry = EvictionEntry(slot: slot, fingerprint: UInt64(slot))
        order.didInsert(entry)
        for _ in 0..<slot { order.didHit([entry].span) }
      }
      var candidate = EvictionEntry(slot: -1, fingerprint: 100)
      while !order.admits(candidate) {}
      candidate.slot = 8
      order.willInsert(candidate)
      let victim = try #require(order.nextVictim())
      #expect(order.nextVictim() == victim)
      order.didRemove(victim, cause: .evicted)
      order.didInsert(candidate)
      order.checkInvariants()
    }
  }
}
