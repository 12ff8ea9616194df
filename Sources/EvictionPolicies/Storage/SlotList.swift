/// A doubly linked list of slots, old end to young end, in two flat arrays.
///
/// Every operation is O(1) and allocates nothing but in ``reserve(slots:)``.
package struct SlotList: ~Copyable {
  private var older = Fixed<Slot>(repeating: Self.absent, count: 0)
  private var younger = Fixed<Slot>(repeating: Self.absent, count: 0)
  private(set) var first: Slot = SlotList.end
  private(set) var last: Slot = SlotList.end
  package private(set) var count = 0

  package init() {}

  /// Beyond either end.
  private static let end: Slot = -1
  /// Not in the list.
  private static let absent: Slot = -2

  package var oldest: Slot? { first == Self.end ? nil : first }

  package mutating func reserve(slots: Int) {
    older.grow(toAtLeast: slots, filling: Self.absent)
    younger.grow(toAtLeast: slots, filling: Self.absent)
  }

  package func contains(_ slot: Slot) -> Bool { older[slot] != Self.absent }

  /// The next younger slot, or `nil` at the young end.
  package func younger(than slot: Slot) -> Slot? {
    let next = younger[slot]
    return next == Self.end ? nil : next
  }

  package mutating func pushYoung(_ slot: Slot) {
    precondition(older[slot] == Self.absent, "slot \(slot) is in the order already")
    older[slot] = last
    younger[slot] = Self.end
    if last == Self.end { first = slot } else { younger[last] = slot }
    last = slot
    count += 1
  }

  package mutating func remove(_ slot: Slot) {
    let before = older[slot]
    let after = younger[slot]
    precondition(before != Self.absent, "slot \(slot) is not in the order")
    if before == Self.end { first = after } else { younger[before] = after }
    if after == Self.end { last = before } else { older[after] = before }
    older[slot] = Self.absent
    younger[slot] = Self.absent
    count -= 1
  }

  package mutating func moveToYoung(_ slot: Slot) {
    guard last != slot else { return }
    remove(slot)
    pushYoung(slot)
  }

  package func checkInvariants() {
    var seen = 0
    var before = Self.end
    var slot = first
    while slot != Self.end {
      precondition(older[slot] == before, "slot \(slot) does not point back")
      before = slot
      slot = younger[slot]
      seen += 1
      precondition(seen <= count, "the list has a cycle")
    }
    precondition(seen == count && last == before, "the list lost a slot")
  }
}
