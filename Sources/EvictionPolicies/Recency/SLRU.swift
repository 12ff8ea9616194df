import CacheModel

/// Evicts the least recently used of the entities not used again since they entered.
///
/// Two lists: arrivals enter probation; a hit there moves the entity to the protected list, which takes at
/// most 80 % of the capacity and moves its oldest back to the young end of probation. Unlike with ``LRU``, a
/// scan passes through a fifth of the cache only. Not for entities that are used in one short burst each: a
/// second read protects an entity that will never be read again.
///
/// Every call is O(1), except a hit of an entity that has become heavier, which may move several back.
///
/// Source: Karedla, Love and Wherry, "Caching strategies to improve disk system performance", IEEE
/// Computer 27(3), 1994.
struct SLRU: EvictionPolicy, ~Copyable {
  static let name = "slru"
  static let summary =
    "Evicts the entity used longest ago among those not used again since they entered."
  static let source = "Karedla, Love and Wherry, IEEE Computer 27(3), 1994"

  private static let probation: Int32 = 0
  private static let protected: Int32 = 1

  private var queues = SlotQueues(count: 2)
  private let protectedLimit: Int

  init(capacity: Int?, random: RandomSource) {
    protectedLimit = Share.percent(80, of: capacity)
  }

  mutating func reserve(slots: Int) { queues.reserve(slots: slots) }

  mutating func didInsert(_ entry: EvictionEntry) {
    queues.pushYoung(entry.slot, weight: entry.weight, to: Self.probation)
  }

  mutating func didHit(_ entry: EvictionEntry) {
    queues.move(
      entry.slot, weight: entry.weight, toYoungOf: Self.protected, limit: protectedLimit,
      overflowingTo: Self.probation)
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { queues.remove(slot) }

  mutating func nextVictim() -> Slot? {
    queues.oldest(of: Self.probation) ?? queues.oldest(of: Self.protected)
  }

  func checkInvariants() {
    queues.checkInvariants()
    precondition(queues.weight(of: Self.protected) <= protectedLimit, "too much is protected")
  }
}
