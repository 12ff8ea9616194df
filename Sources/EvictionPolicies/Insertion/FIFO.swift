import CacheModel

/// Evicts the entity that entered first.
///
/// Unlike with ``LRU``, a hit moves nothing and costs nothing. Not if some entities stay popular: they are
/// evicted in their turn like all others. For comparison, and as the order in which entities with equal time
/// to live expire.
///
/// Source: Bélády, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal 5(2), 1966.
struct FIFO: EvictionPolicy, ~Copyable {
  static let name = "fifo"
  static let summary = "Evicts the entity that entered first."
  static let source = "Bélády, IBM Systems Journal 5(2), 1966"

  private var list = SlotList()

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { list.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { list.pushYoung(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) {}
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }
  mutating func nextVictim() -> Slot? { list.oldest }
  func checkInvariants() { list.checkInvariants() }
}
