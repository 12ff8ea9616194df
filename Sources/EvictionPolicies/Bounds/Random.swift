import CacheModel

/// Evicts a random entity, each with the same probability.
///
/// Unlike every other order it remembers nothing: the advantage of a policy over it is the value of that
/// policy's memory. A bound, not for use; a policy that does worse is misled by the workload, as ``LRU`` is
/// by a loop larger than the cache.
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
