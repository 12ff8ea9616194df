import CacheModel

/// An order chosen at run time, in the place of a policy.
///
/// Of compositions there are too many to compile a replay loop for each; one loop over this serves
/// them all, with a dynamic call per operation.
struct OrderPolicy: EvictionPolicy, ~Copyable {
  static let name = "order"
  static let summary = "Evicts what the order that it is given would."
  static let source = "its order"

  private let order: any EvictionOrder
  /// Always one, so that a hit allocates nothing.
  private var hit = [EvictionEntry(slot: -1, fingerprint: 0)]

  init(_ order: any EvictionOrder) {
    self.order = order
  }

  /// Made without an order, it is that of ``LRU``.
  init(capacity: Int?, random: RandomSource) {
    self.init(PolicyOrder<LRU>(capacity: capacity, random: random))
  }

  mutating func reserve(slots: Int) { order.reserve(slots: slots) }
  mutating func admits(_ candidate: EvictionEntry) -> Bool { order.admits(candidate) }
  mutating func willInsert(_ entry: EvictionEntry) { order.willInsert(entry) }
  mutating func didInsert(_ entry: EvictionEntry) { order.didInsert(entry) }
  mutating func didHit(_ entry: EvictionEntry) {
    hit[0] = entry
    order.didHit(hit.span)
  }
  mutating func didRetain(_ slot: Slot) { order.didRetain(slot) }
  mutating func didRelease(_ entry: EvictionEntry) { order.didRelease(entry) }
  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    order.didRemove(slot, cause: cause)
  }
  mutating func nextVictim() -> Slot? { order.nextVictim() }
  func checkInvariants() { order.checkInvariants() }
}
