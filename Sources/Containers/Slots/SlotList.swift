/// A doubly linked list of slots, from the old end to the young end, in one flat array.
///
/// A circle through a sentinel, so that no operation checks for an end; both links of a slot share a cache
/// line. Every operation is O(1), and only ``reserve(slots:)`` allocates.
public struct SlotList: ~Copyable {
  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  @usableFromInline struct Link: BitwiseCopyable {
    @usableFromInline var older: Int32
    @usableFromInline var younger: Int32

    @inlinable init(older: Int32, younger: Int32) {
      self.older = older
      self.younger = younger
    }

    @inlinable static var absent: Link { Link(older: -1, younger: -1) }
  }

  /// The sentinel at 0, the link of slot `s` at `s + 1`.
  @usableFromInline var links: Fixed<Link>
  @usableFromInline var occupied = 0

  /// The number of slots in the list.
  @inlinable public var count: Int { occupied }

  /// The heap memory of the list, in bytes.
  package var allocatedBytes: Int { links.allocatedBytes }

  /// Returns the bytes of a list reserved for some slots at first, and slot by slot from there: its links
  /// double.
  package static func allocatedBytes(slots: Int, first: Int = 0) -> Int {
    var places = slots > 0 ? first + 1 : 1
    while places < slots + 1 { places *= 2 }
    return AllocationSize.rounded(places * MemoryLayout<Link>.stride)
  }

  @inlinable public init() {
    links = Fixed(repeating: .absent, count: 1)
    links[0] = Link(older: 0, younger: 0)
  }

  /// The old end; `nil` when the list is empty.
  @inlinable public var oldest: Slot? { slot(at: links[0].younger) }

  /// The young end; `nil` when the list is empty.
  @inlinable public var youngest: Slot? { slot(at: last) }

  @inlinable var last: Int32 { links[0].older }

  @inlinable public mutating func reserve(slots: Int) {
    precondition(slots < Int(Int32.max), "\(slots) slots are more than a list can link")
    links.grow(toAtLeast: slots + 1, filling: .absent)
  }

  @inlinable public func contains(_ slot: Slot) -> Bool { links[slot + 1].older >= 0 }

  /// Returns the next younger slot, or `nil` at the young end.
  @inlinable public func younger(than slot: Slot) -> Slot? {
    self.slot(at: links[slot + 1].younger)
  }

  @inlinable public mutating func pushYoung(_ slot: Slot) {
    precondition(!contains(slot), "slot \(slot) is in the order already")
    link(slot + 1)
    occupied += 1
  }

  @inlinable public mutating func remove(_ slot: Slot) {
    precondition(contains(slot), "slot \(slot) is not in the order")
    unlink(slot + 1)
    links[slot + 1] = .absent
    occupied -= 1
  }

  @inlinable public mutating func moveToYoung(_ slot: Slot) {
    // The most popular entity is often already the youngest.
    guard last != slot + 1 else { return }
    precondition(contains(slot), "slot \(slot) is not in the order")
    unlink(slot + 1)
    link(slot + 1)
  }

  @inlinable mutating func link(_ place: Int32) {
    let youngest = last
    links[place] = Link(older: youngest, younger: 0)
    links[youngest].younger = place
    links[0].older = place
  }

  @inlinable mutating func unlink(_ place: Int32) {
    let link = links[place]
    links[link.older].younger = link.younger
    links[link.younger].older = link.older
  }

  @inlinable func slot(at place: Int32) -> Slot? { place == 0 ? nil : place - 1 }

  public func checkInvariants() {
    var seen = 0
    var before: Int32 = 0
    var place = links[0].younger
    while place != 0 {
      precondition(links[place].older == before, "slot \(place - 1) does not point back")
      before = place
      place = links[place].younger
      seen += 1
      precondition(seen <= count, "the list has a cycle")
    }
    precondition(seen == count && last == before, "the list lost a slot")
  }
}

/// A set of slots packed at the front of an array, so that one can be selected by number.
///
/// Insertion, removal and selection are O(1); a removal moves the last member into the gap.
public struct SlotBag: ~Copyable {
  /// The members, packed at the front.
  @usableFromInline var members = Flat<Slot>(repeating: -1, count: 0)
  /// The index of each slot in `members`; -1: none.
  @usableFromInline var places = Flat<Int32>(repeating: -1, count: 0)
  @usableFromInline var occupied = 0

  /// The number of slots in the set.
  @inlinable public var count: Int { occupied }

  @inlinable public init() {}

  @inlinable public mutating func reserve(slots: Int) {
    members.grow(toAtLeast: slots, filling: -1)
    places.grow(toAtLeast: slots, filling: -1)
  }

  /// The member with a number below ``count``; numbers change with every removal.
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

/// An index of a table's entry: dense, reused after removal.
public typealias Slot = Int32
