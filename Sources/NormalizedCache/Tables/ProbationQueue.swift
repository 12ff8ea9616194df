public import EvictionPolicies

/// Entities that events brought and nobody has read yet, first in first out.
///
/// They stand in no eviction order. Every operation is O(1), and one that finds it empty, as it always
/// is under other admissions, costs a comparison.
@usableFromInline struct ProbationQueue: ~Copyable {
  @usableFromInline var list = SlotList()
  @usableFromInline var count = 0
  /// How many slots the list has room for.
  @usableFromInline var reserved = 0
  /// The weight of what stands in it, in bytes.
  @usableFromInline var weight = 0

  @inlinable init() {}

  @inlinable func contains(_ slot: Slot) -> Bool {
    count > 0 && Int(slot) < reserved && list.contains(slot)
  }

  /// - Parameters:
  ///   - slot: what joins, at the young end.
  ///   - weight: its weight in bytes.
  ///   - slots: how many slots there are; room is made for all.
  @inlinable mutating func append(_ slot: Slot, weight: Int32, slots: Int) {
    if slots > reserved {
      list.reserve(slots: slots)
      reserved = slots
    }
    list.pushYoung(slot)
    count += 1
    self.weight += Int(weight)
  }

  /// - Precondition: the slot stands in the queue, and its weight is the one that it joined with.
  @inlinable mutating func remove(_ slot: Slot, weight: Int32) {
    list.remove(slot)
    count -= 1
    self.weight -= Int(weight)
  }

  /// The first that joined, but for one that is spared.
  @inlinable func oldest(but spared: Slot?) -> Slot? {
    guard let first = list.oldest else { return nil }
    return first == spared ? list.younger(than: first) : first
  }

  @inlinable func forEach<Failure: Error>(
    _ body: (Slot) throws(Failure) -> Void
  ) throws(Failure) {
    var slot = list.oldest
    while let member = slot {
      try body(member)
      slot = list.younger(than: member)
    }
  }
}
