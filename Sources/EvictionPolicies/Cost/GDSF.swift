import CacheModel

/// Evicts the entity with the fewest uses per unit of weight, with ageing.
///
/// Greedy dual, size, frequency: an entity's priority is `age + uses / weight`, set at each use, where `age`
/// is the priority of the last victim; so unused entities fall behind as the age grows. Of equals the least
/// recently used is evicted. Unlike with ``Size``, uses make up for weight and nothing stays forever; with
/// equal weights it is LFU with dynamic ageing. Not if fetched bytes count more than the hit ratio, since it
/// prefers light entities (with `uses` alone, the byte hit ratio is better), and not in the hottest paths.
///
/// Uses are forgotten on removal. Each insertion, use and removal is O(log n).
///
/// Source: Cherkasova, "Improving WWW proxies performance with greedy-dual-size-frequency caching
/// policy", HP Laboratories HPL-98-69R1, 1998; greedy dual of sizes by Cao and Irani, USITS 1997.
struct GDSF: EvictionPolicy, ~Copyable {
  static let name = "gdsf"
  static let summary = "Evicts the entity with the fewest uses per unit of weight, with ageing."
  static let source = "Cherkasova, HP Laboratories HPL-98-69R1, 1998"

  /// By priority.
  private var order = RankedSlots<Double>(filler: 0)
  private var uses = Flat<Int32>(repeating: 0, count: 0)
  private var age = 0.0

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {
    order.reserve(slots: slots)
    uses.grow(toAtLeast: slots, filling: 0)
  }

  mutating func didInsert(_ entry: EvictionEntry) {
    uses[entry.slot] = 1
    order.insert(entry.slot, rank: priority(of: entry))
  }

  mutating func didHit(_ entry: EvictionEntry) {
    if uses[entry.slot] < .max { uses[entry.slot] += 1 }
    order.use(entry.slot, rank: priority(of: entry))
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    // A removal for another cause than space does not show what space is worth.
    if cause == .evicted { age = max(age, order.rank(of: slot)) }
    order.remove(slot)
  }

  mutating func nextVictim() -> Slot? { order.least }
  func checkInvariants() { order.checkInvariants() }

  private func priority(of entry: EvictionEntry) -> Double {
    age + Double(uses[entry.slot]) / Double(max(entry.weight, 1))
  }
}
