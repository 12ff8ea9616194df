import CacheModel

/// Evicts the entity that expires first, and of equals the one that was used longest ago.
///
/// What has little time left is worth little: it will have to be fetched again whether it stays or
/// not. Differs from ``FIFO`` in following the deadline rather than the arrival, so a write that
/// extends a lifetime saves the entity; under one lifetime for all the two agree until something is
/// written again. Not where lifetimes say nothing of use, since the popular goes with the rest.
/// Entities that never expire go last; where none does, it is ``LRU`` at the price of a heap.
///
/// Each insertion, use and removal is O(log n).
///
/// Source: Redis, "Key eviction", policy volatile-ttl, <https://redis.io/docs/latest/develop/reference/eviction/>.
struct ExpiringFirst: EvictionPolicy, ~Copyable {
  static let name = "expiring-first"
  static let summary =
    "Evicts the entity that expires first, and of equals the one used longest ago."
  static let source = "Redis documentation, Key eviction, volatile-ttl"

  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Key: Comparable, BitwiseCopyable {
    var expiry: Int64
    var lastUse: Int64

    static func < (first: Key, second: Key) -> Bool {
      (first.expiry, first.lastUse) < (second.expiry, second.lastUse)
    }
  }

  private var heap = SlotHeap(filler: Key(expiry: 0, lastUse: 0))
  private var uses: Int64 = 0

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { heap.reserve(slots: slots) }

  mutating func didInsert(_ entry: EvictionEntry) {
    heap.insert(entry.slot, key: nextKey(of: entry))
  }

  mutating func didHit(_ entry: EvictionEntry) {
    heap.update(entry.slot, key: nextKey(of: entry))
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { heap.remove(slot) }
  mutating func nextVictim() -> Slot? { heap.least }
  func checkInvariants() { heap.checkInvariants() }

  private mutating func nextKey(of entry: EvictionEntry) -> Key {
    uses += 1
    return Key(expiry: entry.expiry, lastUse: uses)
  }
}
