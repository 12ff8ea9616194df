import CacheModel

/// Evicts the entity that was used longest ago.
///
/// Differs from ``FIFO`` in that a hit moves the entity to the young end. Not for scans: one pass
/// over more entities than the cache holds empties it of everything useful.
///
/// Source: Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal
/// 9(2), 1970.
struct LRU: EvictionPolicy, ~Copyable {
  static let name = "lru"
  static let summary = "Evicts the entity that was used longest ago."
  static let source = "Mattson et al., IBM Systems Journal 9(2), 1970"

  private var list = SlotList()

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { list.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { list.pushYoung(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) { list.moveToYoung(entry.slot) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }
  mutating func nextVictim() -> Slot? { list.oldest }
  func checkInvariants() { list.checkInvariants() }
}
