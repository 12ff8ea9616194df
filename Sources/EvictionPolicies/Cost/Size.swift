import CacheModel

/// Evicts the heaviest entity, and of equals the least recently used.
///
/// Unlike ``GDSF`` it considers weight alone: as many entities as possible stay, which is the best hit ratio
/// for an order without memory if weights differ widely. Not if fetched bytes count, since heavy entities are
/// fetched again each time; and not if light, dead entities fill the cache, since nothing displaces them.
/// With equal weights it is ``LRU`` at the price of a heap.
///
/// Each insertion, use and removal is O(log n).
///
/// Source: Williams et al., "Removal policies in network caches for World-Wide Web documents",
/// SIGCOMM 1996.
struct Size: EvictionPolicy, ~Copyable {
  static let name = "size"
  static let summary = "Evicts the heaviest entity, and of equals the one used longest ago."
  static let source = "Williams et al., SIGCOMM 1996"

  /// Heaviest first, as the least of the negatives.
  private var order = RankedSlots<Int32>(filler: 0)

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { order.insert(entry.slot, rank: -entry.weight) }
  mutating func didHit(_ entry: EvictionEntry) { order.use(entry.slot, rank: -entry.weight) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { order.remove(slot) }
  mutating func nextVictim() -> Slot? { order.least }
  func checkInvariants() { order.checkInvariants() }
}
