import CacheModel

/// Evicts the heaviest entity, and of equals the one that was used longest ago.
///
/// Differs from ``GDSF`` in looking at nothing but weight: as many entities as possible stay, which
/// is the best for the hit ratio that an order without memory can do where weights differ widely.
/// Not where bytes fetched count, since what is heavy is fetched again each time; and not where the
/// light and dead fill the cache, since nothing pushes them out. Where all weigh the same it is
/// ``LRU`` at the price of a heap.
///
/// Each insertion, use and removal is O(log n).
///
/// Source: Williams et al., "Removal policies in network caches for World-Wide Web documents",
/// SIGCOMM 1996.
struct Size: EvictionPolicy, ~Copyable {
  static let name = "size"
  static let summary = "Evicts the heaviest entity, and of equals the one used longest ago."
  static let source = "Williams et al., SIGCOMM 1996"

  /// Heaviest first, which is the least of the negatives.
  private var order = RankedSlots<Int32>(filler: 0)

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { order.insert(entry.slot, rank: -entry.weight) }
  mutating func didHit(_ entry: EvictionEntry) { order.use(entry.slot, rank: -entry.weight) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { order.remove(slot) }
  mutating func nextVictim() -> Slot? { order.least }
  func checkInvariants() { order.checkInvariants() }
}
