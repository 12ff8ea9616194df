import CacheModel

/// Evicts the entity that expires first, and of equals the least recently used.
///
/// An entity with little time left is worth little: it will soon be fetched again anyway. Unlike ``FIFO`` it
/// follows the deadline rather than the arrival, so a write that extends the lifetime saves the entity; with
/// one lifetime for all, the two agree until an entity is written again. Not if lifetimes are unrelated to
/// use, since popular entities are evicted like all others. Entities that never expire are evicted last; if
/// none expires, it is ``LRU`` at the price of a heap.
///
/// Each insertion, use and removal is O(log n).
///
/// Source: Redis, "Key eviction", policy volatile-ttl, <https://redis.io/docs/latest/develop/reference/eviction/>.
struct ExpiringFirst: EvictionPolicy, ~Copyable {
  static let name = "expiring-first"
  static let summary =
    "Evicts the entity that expires first, and of equals the one used longest ago."
  static let source = "Redis documentation, Key eviction, volatile-ttl"

  private var order = RankedSlots<Int64>(filler: 0)

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { order.insert(entry.slot, rank: entry.expiry) }
  mutating func didHit(_ entry: EvictionEntry) { order.use(entry.slot, rank: entry.expiry) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { order.remove(slot) }
  mutating func nextVictim() -> Slot? { order.least }
  func checkInvariants() { order.checkInvariants() }
}
