import CacheModel
import EvictionPolicies
import Testing

/// Policies that weigh one entity against another, by their definition: every victim is the least of
/// all that are there, computed again.
private struct SlowWorth {
  struct Resident {
    var entry: EvictionEntry
    var entered: Int
    var uses: Int
    var lastUse: Int
    /// The age of the cache at the last use.
    var age: Double
  }

  let policy: String
  var residents: [Resident] = []
  private var clock = 0
  private var age = 0.0

  init(policy: String) {
    self.policy = policy
  }

  mutating func insert(_ entry: EvictionEntry) {
    clock += 1
    residents.append(Resident(entry: entry, entered: clock, uses: 1, lastUse: clock, age: age))
  }

  mutating func hit(_ entry: EvictionEntry) {
    clock += 1
    for index in residents.indices where residents[index].entry.slot == entry.slot {
      residents[index].entry = entry
      residents[index].uses += 1
      residents[index].lastUse = clock
      residents[index].age = age
    }
  }

  mutating func remove(_ slot: Slot, isEvicted: Bool) {
    guard let place = residents.firstIndex(where: { $0.entry.slot == slot }) else { return }
    if isEvicted { age = max(age, worth(of: residents[place])) }
    residents.remove(at: place)
  }

  var victim: Slot? {
    residents.min { first, second in
      let (worth, other) = (worth(of: first), worth(of: second))
      if worth != other { return worth < other }
      return policy == "hyperbolic"
        ? first.entered < second.entered : first.lastUse < second.lastUse
    }?.entry.slot
  }

  private func worth(of resident: Resident) -> Double {
    let weight = Double(resident.entry.weight)
    let uses = Double(resident.uses)
    return switch policy {
    case "size": -weight
    case "gdsf": resident.age + uses / weight
    case "expiring-first": Double(resident.entry.expiry)
    case "hyperbolic": uses / (Double(clock - resident.entered + 1) * weight)
    default: .nan
    }
  }
}

@Suite("Policies by worth, against the slow model", .timeLimit(.minutes(30)))
struct WorthModelTests {
  @Test(
    "every victim is the least, after any weights, lifetimes, retentions and removals",
    arguments: ["size", "gdsf", "expiring-first", "hyperbolic"])
  func victims(policy: String) throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      let descriptor = try #require(EvictionPolicies.named(policy))
      let order = descriptor.makeOrder(60, RandomSource(seed: seed))
      var model = SlowWorth(policy: policy)
      var random = RandomSource(seed: seed).substream("worth-model")
      // Fewer than the sample of `hyperbolic`, which is then all.
      let keys = 50
      order.reserve(slots: keys)
      for step in 0..<1_500 {
        // Popularity falls linearly with the number.
        let slot = Slot(min(random.below(keys), random.below(keys)))
        var entry = EvictionEntry(
          slot: slot, fingerprint: UInt64(slot), weight: Int32(1 + (Int(slot) * 7) % 9),
          expiry: Int64(1_000 + step + random.below(200)))
        if random.chance(0.05) { entry.expiry = .max }
        // Some have become heavier or lighter.
        if random.chance(0.1) { entry.weight = Int32(1 + random.below(12)) }
        let isResident = model.residents.contains { $0.entry.slot == slot }
        switch (isResident, random.below(20)) {
        case (true, 0):
          model.remove(slot, isEvicted: false)
          order.didRemove(slot, cause: .deleted)
        case (true, 1):
          model.remove(slot, isEvicted: false)
          order.didRetain(slot)
          model.insert(entry)
          order.didRelease(entry)
        case (true, _):
          model.hit(entry)
          order.didHit([entry].span)
        case (false, _):
          while model.residents.reduce(0, { $0 + Int($1.entry.weight) }) + Int(entry.weight) > 60 {
            let victim = try #require(order.nextVictim(), "seed \(seed), step \(step)")
            try #require(victim == model.victim, "seed \(seed), step \(step)")
            model.remove(victim, isEvicted: true)
            order.didRemove(victim, cause: .evicted)
          }
          model.insert(entry)
          order.didInsert(entry)
        }
        order.checkInvariants()
      }
    }
  }
}
