public import CacheModel
public import EvictionPolicies

/// The entities that a store knows: one slot each, in flat columns.
///
/// A slot is *resident* (it has a value), *listed* (a query names it, with or without a value) or a
/// *tombstone* (it was deleted, and older writes stay dead). A slot that is none of these is free.
/// While it is any of them its version is remembered, so an older write cannot come back.
@usableFromInline struct EntityTable<Payload: Sendable>: ~Copyable {
  @usableFromInline var index = SlotIndex()
  @usableFromInline var freeSlots: [Slot] = []
  @usableFromInline var slotCount = 0

  @usableFromInline var keys = Fixed<EntityKey>(
    repeating: EntityKey(type: ResourceType(rawValue: 0), id: UniqueID(high: 0, low: 0)), count: 0)
  @usableFromInline var payloads: [Payload?] = []
  @usableFromInline var versions = Fixed<Version>(repeating: .none, count: 0)
  @usableFromInline var weights = Fixed<Int32>(repeating: 0, count: 0)
  /// When the value was last written, in nanoseconds.
  @usableFromInline var writtenAt = Fixed<Int64>(repeating: 0, count: 0)
  /// The number of the library's last verification when the value was written.
  @usableFromInline var verification = Fixed<UInt32>(repeating: 0, count: 0)
  /// The library, as an index of the store's libraries; −1 where no event or response has told it.
  @usableFromInline var library = Fixed<Int16>(repeating: -1, count: 0)
  /// How many retaining queries list the entity.
  @usableFromInline var references = Fixed<Int32>(repeating: 0, count: 0)
  /// The first of the entity's listings, as an index of ``ListingTable``; −1 for none.
  @usableFromInline var firstListing = Fixed<Int32>(repeating: -1, count: 0)
  @usableFromInline var isTombstone = Fixed<Bool>(repeating: false, count: 0)

  /// The newest version of all entities of which nothing is known any longer.
  ///
  /// What is told of an unknown entity in an older version may be older than what was known of it.
  @usableFromInline var forgotten = Version.none
  /// The newest version of all deletions that were ever remembered.
  @usableFromInline var buried = Version.none
  /// What a storage does not have as it is.
  @usableFromInline var changes = ChangeLog<EntityKey>()

  @usableFromInline var residentCount = 0
  @usableFromInline var residentWeight = 0

  /// How many slots the store's capacity asks for; more are needed only for what is listed without
  /// a value, or dead.
  @usableFromInline let expectedSlots: Int

  @inlinable init(expectedSlots: Int) {
    self.expectedSlots = expectedSlots
  }

  @inlinable func slot(of key: EntityKey) -> Slot? { index.find(key, in: keys) }

  @inlinable func key(of slot: Slot) -> EntityKey { keys[slot] }

  @inlinable func payload(of slot: Slot) -> Payload? { payloads[Int(slot)] }

  @inlinable func isResident(_ slot: Slot) -> Bool { payloads[Int(slot)] != nil }

  @inlinable func isInUse(_ slot: Slot) -> Bool {
    isResident(slot) || isListed(slot) || isTombstone[slot]
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
    guard !isResident(slot), !isListed(slot), !isTombstone[slot],
      index.find(keys[slot], in: keys) == slot
    else { return }
    index.remove(slot, in: keys)
    freeSlots.append(slot)
    forgotten = max(forgotten, versions[slot])
    changes.didFree(slot, key: keys[slot])
  }

  /// Gives the slot a value; returns whether it had none.
  @inlinable mutating func setPayload(_ payload: Payload, weight: Int, of slot: Slot) -> Bool {
    let wasAbsent = payloads[Int(slot)] == nil
    let bounded = Int32(clamping: max(weight, 0))
    if wasAbsent {
      residentCount += 1
      residentWeight += Int(bounded)
    } else {
      residentWeight += Int(bounded) - Int(weights[slot])
    }
    weights[slot] = bounded
    payloads[Int(slot)] = payload
    return wasAbsent
  }

  /// Takes the slot's value away.
  ///
  /// - Precondition: it has one.
  @inlinable mutating func removePayload(of slot: Slot) {
    precondition(isResident(slot), "slot \(slot) has no value to remove")
    payloads[Int(slot)] = nil
    residentCount -= 1
    residentWeight -= Int(weights[slot])
    weights[slot] = 0
    changes.mark(slot)
  }

  @inlinable mutating func growColumns() {
    if slotCount > keys.count { growColumns(to: nextPlaceCount) }
    payloads.append(nil)
  }

  /// Doubles up to the capacity, then grows by a quarter: a full cache should have little slack.
  @inlinable var nextPlaceCount: Int {
    let places = keys.count
    if places < expectedSlots { return min(max(16, places * 2), expectedSlots) }
    return max(16, places + places / 4)
  }

  @inlinable mutating func growColumns(to places: Int) {
    let zero = EntityKey(type: ResourceType(rawValue: 0), id: UniqueID(high: 0, low: 0))
    payloads.reserveCapacity(places)
    keys.grow(to: places, filling: zero)
    versions.grow(to: places, filling: .none)
    weights.grow(to: places, filling: 0)
    writtenAt.grow(to: places, filling: 0)
    verification.grow(to: places, filling: 0)
    library.grow(to: places, filling: -1)
    references.grow(to: places, filling: 0)
    firstListing.grow(to: places, filling: -1)
    isTombstone.grow(to: places, filling: false)
  }

  /// Every slot in use, in slot order; O(slots).
  @inlinable func forEachSlot(_ body: (Slot) -> Void) {
    for index in 0..<slotCount {
      let slot = Slot(index)
      if isInUse(slot) { body(slot) }
    }
  }

  /// Traps unless the counts agree with the columns; O(slots), for tests.
  @inlinable func checkInvariants() {
    var residents = 0
    var weight = 0
    forEachSlot { slot in
      precondition(index.find(keys[slot], in: keys) == slot, "slot \(slot) is not found by its key")
      guard isResident(slot) else { return }
      precondition(!isTombstone[slot], "slot \(slot) is alive and dead")
      residents += 1
      weight += Int(weights[slot])
    }
    precondition(residents == residentCount, "resident count is off")
    precondition(weight == residentWeight, "resident weight is off")
    precondition(index.count + freeSlots.count == slotCount, "a slot leaked")
  }
}
