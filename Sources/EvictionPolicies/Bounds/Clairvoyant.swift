import CacheModel

/// Evicts the entity whose next request is farthest in the future.
///
/// The bound for every policy that admits everything requested: with equal weights and reads alone, none has
/// fewer misses. It needs the future, so it exists in replays only; without it all entities are equally far
/// away, and it is useless. Unlike ``ClairvoyantBypass`` an arrival always enters.
///
/// Every call is O(log n) in the entities of the order that are requested again.
///
/// Source: Bélády, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal 5(2), 1966.
struct Clairvoyant: EvictionPolicy, ~Copyable {
  static let name = "clairvoyant"
  static let summary = "Evicts the entity whose next request is farthest in the future."
  static let source = "Bélády, IBM Systems Journal 5(2), 1966"
  static let needsFuture = true

  /// Farthest first, as the least of the negatives.
  private var order = SlotHeap<Int64>(filler: 0)

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { order.insert(entry.slot, key: -entry.nextUse) }
  mutating func didHit(_ entry: EvictionEntry) { order.update(entry.slot, key: -entry.nextUse) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { order.remove(slot) }
  mutating func nextVictim() -> Slot? { order.least }
  func checkInvariants() { order.checkInvariants() }

  /// The next request of the next victim; `nil`: there is none.
  var farthestUse: Int64? {
    guard let least = order.least else { return nil }
    return -order.key(of: least)
  }
}
