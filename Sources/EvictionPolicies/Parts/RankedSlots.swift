/// Slots by a rank of the policy's own, least first, and of equals the one that was used longest ago.
///
/// Each insertion, use and removal is O(log n); nothing allocates but ``reserve(slots:)``.
struct RankedSlots<Rank: Comparable & BitwiseCopyable>: ~Copyable {
  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Key: Comparable, BitwiseCopyable {
    var rank: Rank
    var lastUse: Int64

    static func < (first: Key, second: Key) -> Bool {
      (first.rank, first.lastUse) < (second.rank, second.lastUse)
    }
  }

  private var heap: SlotHeap<Key>
  private var uses: Int64 = 0

  /// - Parameter filler: any rank, for places not used yet.
  init(filler: Rank) {
    heap = SlotHeap(filler: Key(rank: filler, lastUse: 0))
  }

  mutating func reserve(slots: Int) { heap.reserve(slots: slots) }

  /// The slot that comes first; `nil` when there is none.
  var least: Slot? { heap.least }

  func rank(of slot: Slot) -> Rank { heap.key(of: slot).rank }

  /// Adds a slot, which is its first use.
  mutating func insert(_ slot: Slot, rank: Rank) {
    uses += 1
    heap.insert(slot, key: Key(rank: rank, lastUse: uses))
  }

  /// Counts a use, which may change the rank.
  mutating func use(_ slot: Slot, rank: Rank) {
    uses += 1
    heap.update(slot, key: Key(rank: rank, lastUse: uses))
  }

  mutating func remove(_ slot: Slot) { heap.remove(slot) }

  func checkInvariants() { heap.checkInvariants() }
}
