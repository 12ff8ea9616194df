import CacheModel

/// Evicts the most recently used entity.
///
/// Uses the other end of the list of ``LRU``. In a loop slightly larger than the cache it keeps all that fits
/// and replaces one entity, whereas LRU keeps nothing. Not for anything else: it evicts what is popular now,
/// and keeps forever what was read once at the start. As a bound it shows how much of a workload is a loop.
///
/// Source: Chou and DeWitt, "An evaluation of buffer management strategies for relational database
/// systems", VLDB 1985.
struct MRU: EvictionPolicy, ~Copyable {
  static let name = "mru"
  static let summary = "Evicts the entity that was used last."
  static let source = "Chou and DeWitt, VLDB 1985"

  private var list = SlotList()

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { list.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { list.pushYoung(entry.slot) }
  mutating func didHit(_ entry: EvictionEntry) { list.moveToYoung(entry.slot) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { list.remove(slot) }
  mutating func nextVictim() -> Slot? { list.youngest }
  func checkInvariants() { list.checkInvariants() }
}
