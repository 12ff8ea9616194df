import CacheModel

/// Evicts the oldest entity that was not read since it was last passed over.
///
/// ``FIFO`` with a second chance: a hit sets one bit per entity, and an entity whose bit is set re-enters at
/// the young end with the bit cleared. Unlike with ``SIEVE``, survivors move and so mix with new arrivals.
/// Close to ``LRU`` with cheaper hits, and no more scan-resistant: not for scans.
///
/// `nextVictim` is O(1) amortised: each step clears a bit that a hit has set.
///
/// Source: Corbató, "A paging experiment with the Multics system", MIT Project MAC, 1968.
struct CLOCK: EvictionPolicy, ~Copyable {
  static let name = "clock"
  static let summary = "Evicts the oldest entity not read since the hand last passed it."
  static let source = "Corbató, MIT Project MAC, 1968"

  private var list = SlotList()
  private var referenced = Fixed(repeating: false, count: 0)

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {
    list.reserve(slots: slots)
    referenced.grow(toAtLeast: slots, filling: false)
  }

  mutating func didInsert(_ entry: EvictionEntry) {
    list.pushYoung(entry.slot)
    referenced[entry.slot] = false
  }

  mutating func didHit(_ entry: EvictionEntry) { referenced[entry.slot] = true }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }

  mutating func nextVictim() -> Slot? {
    while let oldest = list.oldest {
      guard referenced[oldest] else { return oldest }
      referenced[oldest] = false
      list.moveToYoung(oldest)
    }
    return nil
  }

  func checkInvariants() { list.checkInvariants() }
}
