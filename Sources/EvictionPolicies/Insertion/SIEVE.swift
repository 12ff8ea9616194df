import CacheModel

/// Evicts the first entity that was not read since a hand last passed it, and leaves survivors in place.
///
/// The hand moves from the old end to the young end, clears the bits that hits have set, stops at the first
/// that is clear, and wraps around. Unlike with ``CLOCK``, survivors do not move: the hand soon reaches an
/// unread arrival behind the long-lived ones. Not for loops and scans slightly larger than the cache, and
/// slow to evict entities that were popular once.
///
/// If the entity under the hand is removed, for any cause, the hand moves to its younger neighbour.
/// `nextVictim` is O(1) amortised: each step clears a bit that a hit has set.
///
/// Source: Zhang et al., "SIEVE is simpler than LRU", NSDI 2024.
struct SIEVE: EvictionPolicy, ~Copyable {
  static let name = "sieve"
  static let summary = "Evicts the first unread entity that a hand meets, and moves no survivor."
  static let source = "Zhang et al., NSDI 2024"

  private var list = SlotList()
  private var visited = Fixed(repeating: false, count: 0)
  /// The position where the search for a victim continues; `nil`: the old end.
  private var hand: Slot?

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {
    list.reserve(slots: slots)
    visited.grow(toAtLeast: slots, filling: false)
  }

  mutating func didInsert(_ entry: EvictionEntry) {
    list.pushYoung(entry.slot)
    visited[entry.slot] = false
  }

  mutating func didHit(_ entry: EvictionEntry) { visited[entry.slot] = true }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if hand == slot { hand = list.younger(than: slot) }
    list.remove(slot)
  }

  mutating func nextVictim() -> Slot? {
    while let candidate = hand ?? list.oldest {
      hand = candidate
      guard visited[candidate] else { return candidate }
      visited[candidate] = false
      hand = list.younger(than: candidate)
    }
    return nil
  }

  func checkInvariants() {
    list.checkInvariants()
    if let hand { precondition(list.contains(hand), "the hand points outside the order") }
  }
}
