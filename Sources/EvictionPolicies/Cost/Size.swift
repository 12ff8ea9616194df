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

  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Key: Comparable, BitwiseCopyable {
    var weight: Int32
    var lastUse: Int64

    static func < (first: Key, second: Key) -> Bool {
      first.weight != second.weight
        ? first.weight > second.weight : first.lastUse < second.lastUse
    }
  }

  private var heap = SlotHeap(filler: Key(weight: 0, lastUse: 0))
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
    return Key(weight: entry.weight, lastUse: uses)
  }
}
