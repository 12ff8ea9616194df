import CacheModel

/// Evicts the least frequently used entity; of equals, the one that has had its count for longest.
///
/// Counts end with residency. Unlike with ``LFUAging``, counts never fade. Not if popularity changes: what
/// was popular once stays, and newcomers evict each other.
///
/// Every call is O(1): uses are counted by moving between buckets of equal count.
///
/// Source: Aho, Denning and Ullman, "Principles of optimal page replacement", Journal of the ACM
/// 18(1), 1971; in O(1): Shah, Mitra and Matani, "An O(1) algorithm for implementing the LFU cache
/// eviction scheme", 2010.
struct LFU: EvictionPolicy, ~Copyable {
  static let name = "lfu"
  static let summary = "Evicts the entity that was used most rarely since it entered."
  static let source = "Aho, Denning and Ullman, Journal of the ACM 18(1), 1971"

  private var list = FrequencyList()

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { list.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { list.insert(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) { list.promote(entry.slot) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }
  mutating func nextVictim() -> Slot? { list.rarest }
  func checkInvariants() { list.checkInvariants() }
}
