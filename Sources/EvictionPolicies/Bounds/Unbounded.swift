import CacheModel

/// Evicts nothing: the capacity is not applied.
///
/// Its misses occur under every policy that only evicts: the first use of each entity, and deleted,
/// invalidated or expired ones. So it bounds the value of more space. ``isBounded`` is false, and the replay
/// and the cache then use no capacity; it names a victim only if asked nevertheless. Not for use, since
/// memory is unbounded.
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
