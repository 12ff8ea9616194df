import CacheModel

/// Evicts the least frequently used entity, by counts that fade.
///
/// Whenever the entities of the order were used ten times on average, all counts are halved, rounded up.
/// Unlike with ``LFU``, what was popular once is evicted eventually. Not for small caches of very popular
/// entities, which are halved so often that their counts are equal; a sketch that also remembers departed
/// entities (W-TinyLFU) does more with less memory.
///
/// Halving is O(n), after a multiple of n uses: every call is amortised O(1).
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
