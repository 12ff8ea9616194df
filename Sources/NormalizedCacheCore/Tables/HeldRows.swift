public import EvictionPolicies

/// The entities that something holds back from eviction, least recently used first: where a limit is
/// hard and nothing else is left to go, they lose their values in this order.
///
/// No eviction order knows of them. Every call is O(1), amortised where it makes room.
@usableFromInline struct HeldRows: ~Copyable {
  @usableFromInline var list = SlotList()
  /// How many slots the list has room for.
  @usableFromInline var reserved = 0

  @inlinable init() {}

  @inlinable func contains(_ slot: Slot) -> Bool {
    Int(slot) < reserved && list.contains(slot)
  }

  /// Adds an entity at the young end, unless it stands in the line.
  ///
  /// - Parameters:
  ///   - slot: the entity.
  ///   - slots: how many slots there are; room is made for all.
  @inlinable mutating func add(_ slot: Slot, slots: Int) {
    if slots > reserved {
      list.reserve(slots: slots)
      reserved = slots
    }
    if !list.contains(slot) { list.pushYoung(slot) }
  }

  /// Takes an entity out of the line, if it stands there.
  @inlinable mutating func remove(_ slot: Slot) {
    if contains(slot) { list.remove(slot) }
  }

  /// Notes that an entity was used, if it stands in the line.
  @inlinable mutating func noteUse(of slot: Slot) {
    if contains(slot) { list.moveToYoung(slot) }
  }

  /// The one that was used longest ago, but for one that is spared.
  @inlinable func oldest(but spared: Slot?) -> Slot? {
    guard let first = list.oldest else { return nil }
    return first == spared ? list.younger(than: first) : first
  }
}
