import CacheSimulation

/// Evicts the entity whose last use but one is longest ago.
///
/// What was used once only goes first, the oldest of it; so a scan pushes out nothing that was used
/// twice. Differs from the paper in that uses are forgotten with the entity: there is no history of
/// what is not in the cache. Not where most is used once, and soon again after it has left.
///
/// Every call is O(log n).
///
/// Source: O'Neil, O'Neil and Weikum, "The LRU-K page replacement algorithm for database disk
/// buffering", SIGMOD 1993, with K = 2.
public struct LRU2: EvictionPolicy, ~Copyable {
  public static let name = "lru-2"
  public static let summary = "Evicts the entity whose last use but one is longest ago."
  public static let source = "O'Neil, O'Neil and Weikum, SIGMOD 1993"

  /// The last two uses of an entity, as numbers of uses; 0: there was none.
  struct Uses: Comparable, BitwiseCopyable {
    var lastButOne: Int64
    var last: Int64

    static func < (first: Uses, second: Uses) -> Bool {
      (first.lastButOne, first.last) < (second.lastButOne, second.last)
    }
  }

  private var order = SlotHeap(filler: Uses(lastButOne: 0, last: 0))
  private var uses: Int64 = 0

  public init(capacity: Int?, random: RandomSource) {}

  public mutating func reserve(slots: Int) { order.reserve(slots: slots) }

  public mutating func didInsert(_ entry: EvictionEntry) {
    uses += 1
    order.insert(entry.slot, key: Uses(lastButOne: 0, last: uses))
  }

  public mutating func didHit(_ entry: EvictionEntry) {
    uses += 1
    let before = order.key(of: entry.slot).last
    order.update(entry.slot, key: Uses(lastButOne: before, last: uses))
  }

  // Called for every removal, and by default for a retention, after which nothing may evict the entity.
  public mutating func didRemove(_ slot: Slot, cause: RemovalCause) { order.remove(slot) }

  public mutating func nextVictim() -> Slot? { order.least }

  public func checkInvariants() { order.checkInvariants() }
}
