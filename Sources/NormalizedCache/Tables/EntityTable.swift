public import CacheModel
public import EvictionPolicies

/// The entities that a store knows: one slot each, in flat columns.
///
/// A slot is *resident* (it has a value), *listed* (a query names it, with or without a value), a
/// *tombstone* (it was deleted, and older writes stay dead) or *held* (it has pending edits). A slot
/// that is none of these is free. While it is any of them its version is remembered, so an older write
/// cannot come back.
@usableFromInline struct EntityTable<Payload: Sendable>: ~Copyable {
  @usableFromInline var index = SlotIndex()
  @usableFromInline var freeSlots: [Slot] = []
  @usableFromInline var slotCount = 0

  @usableFromInline var keys = Column<EntityKey>(
    filler: EntityKey(type: ResourceType(rawValue: 0), id: UniqueID(high: 0, low: 0)))
  @usableFromInline var payloads = Column<Payload?>(filler: nil)
  @usableFromInline var versions = Column<Version>(filler: .none)
  @usableFromInline var weights = Column<Int32>(filler: 0)
  /// When the value was last written, in nanoseconds.
  @usableFromInline var writtenAt = Column<Int64>(filler: 0)
  /// The number of the library's last verification when the value was written.
  ///
  /// ``doubted``: something happened to the entity that could not be decoded.
  @usableFromInline var verification = Column<UInt32>(filler: 0)
  /// The library, as an index of the store's libraries; −1 where no event or response has told it.
  @usableFromInline var library = Column<Int16>(filler: -1)
  /// How many retaining queries list the entity; one more while it has pending edits.
  @usableFromInline var references = Column<Int32>(filler: 0)
  /// The first of the entity's listings, as an index of ``ListingTable``; −1 for none.
  @usableFromInline var firstListing = Column<Int32>(filler: -1)
  @usableFromInline var isTombstone = Column<Bool>(filler: false)

  /// The newest version of all entities of which nothing is known any longer.
  ///
  /// What is told of an unknown entity in an older version may be older than what was known of it.
  @usableFromInline var forgotten = Version.none
  /// The newest version of all deletions that were ever remembered.
  @usableFromInline var buried = Version.none
  /// What a storage does not have as it is.
  @usableFromInline var changes = ChangeLog<EntityKey>()

  /// The verification of a value that is known not to be the latest.
  @inlinable static var doubted: UInt32 { .max }

  @usableFromInline var residentCount = 0
  @usableFromInline var residentWeight = 0

  /// Has the table, and the store that has it, passed by address.
  ///
  /// A structure of plain words alone is passed by value, whatever its size: every call of a method
  /// would copy two kilobytes to the stack. An existential has no fixed layout, so nothing is copied.
  @usableFromInline let addressedOnly: any Sendable = ()

  @inlinable init() {}

  @inlinable func slot(of key: EntityKey) -> Slot? { index.find(key, in: keys) }

  @inlinable func key(of slot: Slot) -> EntityKey { keys[slot] }

  @inlinable func payload(of slot: Slot) -> Payload? { payloads[slot] }

  @inlinable func isResident(_ slot: Slot) -> Bool { payloads[slot] != nil }

  @inlinable func isInUse(_ slot: Slot) -> Bool {
    isResident(slot) || isListed(slot) || isTombstone[slot] || references[slot] > 0
  }

  @inlinable func isListed(_ slot: Slot) -> Bool { firstListing[slot] >= 0 }

  /// 64 bits that name the entity across residencies.
  @inlinable func fingerprint(of slot: Slot) -> UInt64 {
    SlotIndex.hash(keys[slot])
  }

  /// The slot of a key, made if there is none.
  ///
  /// Amortised O(1).
  @inlinable mutating func obtainSlot(of key: EntityKey) -> Slot {
    if let slot = index.find(key, in: keys) { return slot }
    let slot: Slot
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = Slot(slotCount)
      slotCount += 1
      growColumns()
    }
    keys[slot] = key
    index.insert(slot, in: keys)
    versions[slot] = .none
    library[slot] = -1
    verification[slot] = 0
    return slot
  }

  /// Gives the slot back if nothing names the entity any longer; a free one stays as it is.
  @inlinable mutating func freeIfUnused(_ slot: Slot) {
    guard !isResident(slot), !isListed(slot), !isTombstone[slot], references[slot] == 0,
      index.find(keys[slot], in: keys) == slot
    else { return }
    index.remove(slot, in: keys)
    freeSlots.append(slot)
    forgotten = max(forgotten, versions[slot])
    changes.didFree(slot, key: keys[slot])
  }

  /// Gives the slot a value.
  ///
  /// - Returns: the one that it had, if any; handed out, since a copy counts references to all that it
  ///   holds.
  @inlinable mutating func setPayload(
    _ payload: Payload, weight: Int, of slot: Slot
  ) -> Payload? {
    let bounded = Int32(clamping: max(weight, 0))
    var exchanged: Payload? = payload
    swap(&payloads[slot], &exchanged)
    if exchanged == nil { residentCount += 1 }
    residentWeight += Int(bounded) - Int(weights[slot])
    weights[slot] = bounded
    changes.mark(slot)
    return exchanged
  }

  /// Takes the slot's value away.
  ///
  /// - Precondition: it has one.
  @inlinable mutating func removePayload(of slot: Slot) {
    precondition(isResident(slot), "slot \(slot) has no value to remove")
    payloads[slot] = nil
    residentCount -= 1
    residentWeight -= Int(weights[slot])
    weights[slot] = 0
    changes.mark(slot)
  }

  @inlinable mutating func growColumns() {
    guard slotCount > keys.count else { return }
    keys.grow(toAtLeast: slotCount)
    payloads.grow(toAtLeast: slotCount)
    versions.grow(toAtLeast: slotCount)
    weights.grow(toAtLeast: slotCount)
    writtenAt.grow(toAtLeast: slotCount)
    verification.grow(toAtLeast: slotCount)
    library.grow(toAtLeast: slotCount)
    references.grow(toAtLeast: slotCount)
    firstListing.grow(toAtLeast: slotCount)
    isTombstone.grow(toAtLeast: slotCount)
  }

  /// Every slot in use, in slot order; O(slots).
  @inlinable func forEachSlot<Failure: Error>(
    _ body: (Slot) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<slotCount {
      let slot = Slot(index)
      if isInUse(slot) { try body(slot) }
    }
  }

  /// - Throws: what does not agree with the columns; O(slots), for tests.
  @inlinable func checkInvariants() throws(InvariantFailure) {
    var residents = 0
    var weight = 0
    var inUse = 0
    try forEachSlot { slot throws(InvariantFailure) in
      try demand(index.find(keys[slot], in: keys) == slot, "slot \(slot) is not found by its key")
      inUse += 1
      guard isResident(slot) else { return }
      try demand(!isTombstone[slot], "slot \(slot) is alive and dead")
      residents += 1
      weight += Int(weights[slot])
    }
    try demand(residents == residentCount, "resident count is off")
    try demand(weight == residentWeight, "resident weight is off")
    try demand(
      index.count == inUse && inUse + freeSlots.count == slotCount, "a slot leaked")
  }
}
