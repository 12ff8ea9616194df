import CacheModel

/// Evicts the entity that was used most rarely, by counts that fade.
///
/// Whenever the entities of the order were used ten times on average, all counts are halved, rounded
/// up. Differs from ``LFU`` in that what was popular once leaves in the end. Not for small caches of
/// very popular entities, which are halved all the time and so cannot be told apart; a sketch that
/// also remembers the departed (W-TinyLFU) does more with less.
///
/// Halving is O(n), and comes after uses of several times n: every call is amortised O(1).
///
/// Source: Robinson and Devarakonda, "Data cache management using frequency-based replacement",
/// SIGMETRICS 1990, which halves by the average count; without its sections.
struct LFUAging: EvictionPolicy, ~Copyable {
  static let name = "lfu-aging"
  static let summary = "Evicts the entity that was used most rarely, by counts that fade."
  static let source = "Robinson and Devarakonda, SIGMETRICS 1990"

  private static let averageLimit = 10

  private var list = FrequencyList()

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { list.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { list.insert(entry.slot) }

  mutating func didHit(_ entry: EvictionEntry) {
    list.promote(entry.slot)
    if list.uses > Self.averageLimit * list.count { list.halve() }
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }
  mutating func nextVictim() -> Slot? { list.rarest }
  func checkInvariants() { list.checkInvariants() }
}
