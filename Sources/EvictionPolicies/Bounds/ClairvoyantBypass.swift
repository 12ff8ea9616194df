import CacheModel

/// Evicts the entity whose next request is farthest in the future, and rejects an arrival whose own is
/// farther.
///
/// The bound for every policy, including those that do not admit everything. Otherwise the same as
/// ``Clairvoyant``. It needs the future, so it exists in replays only.
///
/// Every call is O(log n) in the entities of the order that are requested again.
///
/// Source: Bélády, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal 5(2), 1966; with bypass: McFarling, "Cache replacement with dynamic exclusion", ISCA
/// 1992.
struct ClairvoyantBypass: EvictionPolicy, ~Copyable {
  static let name = "clairvoyant-bypass"
  static let summary =
    "Evicts the entity needed farthest in the future, if the arrival is needed sooner."
  static let source = "McFarling, ISCA 1992"
  static let needsFuture = true

  private var order: Clairvoyant

  init(capacity: Int?, random: RandomSource) {
    order = Clairvoyant(capacity: capacity, random: random)
  }

  func admits(_ candidate: EvictionEntry) -> Bool {
    guard let farthestUse = order.farthestUse else { return true }
    return candidate.nextUse < farthestUse
  }

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func didInsert(_ entry: EvictionEntry) { order.didInsert(entry) }
  mutating func didHit(_ entry: EvictionEntry) { order.didHit(entry) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { order.didRemove(slot, cause: cause) }
  mutating func nextVictim() -> Slot? { order.nextVictim() }
  func checkInvariants() { order.checkInvariants() }
}
