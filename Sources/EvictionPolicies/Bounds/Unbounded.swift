import CacheModel

/// Evicts nothing: the capacity is not applied.
///
/// What misses under it misses under every policy that only evicts: the first use of each entity, and
/// what was deleted, invalidated or expired. So it bounds what more space could be worth. It says so
/// of itself by ``isBounded``, and the replay and the cache then know no capacity; a victim is named
/// only to one who asks nevertheless. Not for use, since nothing bounds the memory.
///
/// Source: the compulsory misses of Hill, "Aspects of cache memory and instruction buffer
/// performance", University of California, Berkeley, UCB/CSD 87/381, 1987.
struct Unbounded: EvictionPolicy, ~Copyable {
  static let name = "unbounded"
  static let summary = "Evicts nothing, whatever the capacity."
  static let source = "Hill, UCB/CSD 87/381, 1987"
  static let isBounded = false

  private var list = SlotList()

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { list.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { list.pushYoung(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) {}
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }
  mutating func nextVictim() -> Slot? { list.oldest }
  func checkInvariants() { list.checkInvariants() }
}
