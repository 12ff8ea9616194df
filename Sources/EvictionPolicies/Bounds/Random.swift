import CacheModel

/// Evicts an entity drawn at random, each with the same chance.
///
/// Differs from every other order in that it remembers nothing: what a policy wins over it is what
/// its memory is worth. Not for use, but as a bound; a policy below it is misled by the workload,
/// as ``LRU`` is by a loop larger than the cache.
///
/// Source: Bélády, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal 5(2), 1966.
struct Random: EvictionPolicy, ~Copyable {
  static let name = "random"
  static let summary = "Evicts an entity drawn at random."
  static let source = "Bélády, IBM Systems Journal 5(2), 1966"

  private var bag = SlotBag()
  private var random: RandomSource

  init(capacity: Int?, random: RandomSource) {
    self.random = random
  }

  mutating func reserve(slots: Int) { bag.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { bag.insert(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) {}
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { bag.remove(slot) }

  mutating func nextVictim() -> Slot? {
    bag.count == 0 ? nil : bag[random.below(bag.count)]
  }

  func checkInvariants() { bag.checkInvariants() }
}
