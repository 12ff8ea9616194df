/// A set of slots packed at the front of an array, so that one can be drawn by number.
///
/// Insertion, removal and the draw are O(1); a removal moves the last member into the gap.
public struct SlotBag: ~Copyable {
  /// The members, packed at the front.
  @usableFromInline var members = Flat<Slot>(repeating: -1, count: 0)
  /// Where in `members` a slot stands; -1: it does not.
  @usableFromInline var places = Flat<Int32>(repeating: -1, count: 0)
  @usableFromInline var occupied = 0

  /// How many slots stand in the set.
  @inlinable public var count: Int { occupied }

  @inlinable public init() {}

  @inlinable public mutating func reserve(slots: Int) {
    members.grow(toAtLeast: slots, filling: -1)
    places.grow(toAtLeast: slots, filling: -1)
  }

  /// The member of a number below ``count``; the numbers change with every removal.
  @inlinable public subscript(index: Int) -> Slot { members[index] }

  @inlinable public mutating func insert(_ slot: Slot) {
    precondition(places[slot] < 0, "slot \(slot) is in the order already")
    members[count] = slot
    places[slot] = Int32(count)
    occupied += 1
  }

  @inlinable public mutating func remove(_ slot: Slot) {
    let place = places[slot]
    precondition(place >= 0, "slot \(slot) is not in the order")
    occupied -= 1
    let moved = members[count]
    members[place] = moved
    places[moved] = place
    places[slot] = -1
  }

  public func checkInvariants() {
    for index in 0..<count {
      precondition(Int(places[members[index]]) == index, "slot \(members[index]) lost its place")
    }
  }
}
