import CacheModel

/// Evicts, from a sample, the entity with the fewest uses per unit of weight and time since it entered.
///
/// An entity's value is `uses / (weight × age)`, with the age in uses of the whole cache; it falls with time,
/// so nothing has to be moved. Since the order changes by itself, the least valuable of 64 random entities is
/// evicted (of all, if there are fewer). Unlike LFU it measures a rate, which neither favours old entities
/// nor keeps yesterday's popular ones. Not if recency alone matters, and not if runs with different seeds
/// must agree.
///
/// `nextVictim` costs a sample; all else is O(1).
///
/// Source: Blankstein, Sen and Freedman, "Hyperbolic caching: flexible caching for web
/// applications", USENIX ATC 2017.
struct Hyperbolic: EvictionPolicy, ~Copyable {
  static let name = "hyperbolic"
  static let summary = "Evicts, of a sample, the entity with the fewest uses per time and weight."
  static let source = "Blankstein, Sen and Freedman, USENIX ATC 2017"

  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Record: BitwiseCopyable {
    var entered: Int64 = 0
    var uses: Int32 = 0
    var weight: Int32 = 1
  }

  static let sampleSize = 64

  private var bag = SlotBag()
  private var records = Flat(repeating: Record(), count: 0)
  private var clock: Int64 = 0
  private var random: RandomSource

  init(capacity: Int?, random: RandomSource) {
    self.random = random
  }

  mutating func reserve(slots: Int) {
    bag.reserve(slots: slots)
    records.grow(toAtLeast: slots, filling: Record())
  }

  mutating func didInsert(_ entry: EvictionEntry) {
    clock += 1
    bag.insert(entry.slot)
    records[entry.slot] = Record(entered: clock, uses: 1, weight: max(entry.weight, 1))
  }

  mutating func didHit(_ entry: EvictionEntry) {
    clock += 1
    var record = records[entry.slot]
    if record.uses < .max { record.uses += 1 }
    record.weight = max(entry.weight, 1)
    records[entry.slot] = record
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { bag.remove(slot) }

  mutating func nextVictim() -> Slot? {
    var victim: Slot?
    var least = Double.infinity
    let isWhole = bag.count <= Self.sampleSize
    for draw in 0..<min(bag.count, Self.sampleSize) {
      let slot = bag[isWhole ? draw : random.below(bag.count)]
      let worth = worth(of: slot)
      // Of equals the first that entered is evicted, wherever removals have moved it.
      if worth < least || worth == least && victim.map({ isOlder(slot, than: $0) }) == true {
        victim = slot
        least = worth
      }
    }
    return victim
  }

  func checkInvariants() { bag.checkInvariants() }

  private func worth(of slot: Slot) -> Double {
    let record = records[slot]
    let age = Double(clock - record.entered + 1)
    return Double(record.uses) / (age * Double(record.weight))
  }

  private func isOlder(_ slot: Slot, than other: Slot) -> Bool {
    records[slot].entered < records[other].entered
  }
}
