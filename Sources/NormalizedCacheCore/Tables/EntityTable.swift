public import CacheModel
public import DequeModule
public import EvictionPolicies

/// The metadata of an entity: one cache line, since an event whose data is not in the processor's cache waits
/// for each line that it accesses.
@usableFromInline struct EntityRecord: KeyedRecord, BitwiseCopyable, Sendable {
  @usableFromInline var key = EntityKey(
    type: ResourceType(rawValue: 0), id: UniqueID(high: 0, low: 0))
  /// The store's index of the library; −1 if no event or response has named it.
  @usableFromInline var library: Int16 = -1
  @usableFromInline var weight: Int32 = 0
  @usableFromInline var version = Version.none
  /// The time of the last write, in nanoseconds.
  @usableFromInline var writtenAt: Int64 = 0
  /// The number of the library's last verification when the value was written.
  ///
  /// ``LibraryTable/unverified``: an undecodable change concerned the entity.
  @usableFromInline var verification: UInt32 = 0
  /// The number of retaining queries that list the entity, plus one while it has pending edits.
  @usableFromInline var references: Int32 = 0
  /// The first of the entity's listings, as an index of ``ListingTable``; −1: none.
  @usableFromInline var firstListing: Int32 = -1
  @usableFromInline var isTombstone = false
  @usableFromInline var isResident = false
  /// Whether the value is a summary; see ``CacheSchema/isSummary(_:)``.
  @usableFromInline var isSummary = false
  /// Three marks in a byte: more would not fit into the line.
  @usableFromInline var marks: UInt8 = 0

  @inlinable init() {}

  /// Whether the last event of the entity was older than an answer's version: lists other than the answer's
  /// may not know of it yet.
  @inlinable var isAheadOfEvents: Bool {
    get { marks & 1 != 0 }
    set { marks = newValue ? marks | 1 : marks & ~1 }
  }

  /// Whether the slot is kept until the end of the event that removed the entity from a list.
  @inlinable var isKept: Bool {
    get { marks & 2 != 0 }
    set { marks = newValue ? marks | 2 : marks & ~2 }
  }

  /// Whether the slot is found by its key: a free one has its last key still.
  @inlinable var isFound: Bool {
    get { marks & 4 != 0 }
    set { marks = newValue ? marks | 4 : marks & ~4 }
  }

  @inlinable static func hash(_ key: EntityKey) -> UInt64 {
    key.id.mixed(with: UInt64(key.type.rawValue))
  }

  @inlinable var isListed: Bool { firstListing >= 0 }

  @inlinable var isInUse: Bool { isResident || isListed || isTombstone || isKept || references > 0 }
}

/// The entities known to a store: one slot each, in flat columns.
///
/// A slot is *resident* (it has a value), *listed* (a query lists it, with or without a value), a *tombstone*
/// (it was deleted, and older writes are ignored) or *held* (it has pending edits). Otherwise it is free.
/// While it is any of these its version is kept, so an older write cannot come back.
@usableFromInline struct EntityTable<Payload: Sendable>: ~Copyable {
  @usableFromInline var index = SlotIndex<EntityRecord>()
  @usableFromInline var freeSlots: [Slot] = []
  @usableFromInline var slotCount = 0

  @usableFromInline var records = Column<EntityRecord>(filler: EntityRecord())
  @usableFromInline var payloads = Column<Payload?>(filler: nil)

  /// The newest version of all forgotten entities.
  ///
  /// An older version of an unknown entity may be older than its forgotten one.
  @usableFromInline var forgotten = Version.none
  /// The newest version of all tombstones that ever existed.
  @usableFromInline var buried = Version.none
  /// Tombstones, so that older writes are ignored; oldest first.
  @usableFromInline var tombstones: Deque<Tombstone> = []
  @usableFromInline var changes = ChangeLog<EntityKey>()

  /// A slot that is not freed, since it is about to be written; −1: none.
  @usableFromInline var pinned: Slot = -1
  /// Slots that are not freed before the end of the current event: it may contain older versions of their
  /// entities.
  @usableFromInline var kept: [Slot] = []

  @usableFromInline var residentCount = 0
  @usableFromInline var residentWeight = 0

  /// Makes the compiler pass the table, and its store, by reference.
  ///
  /// A structure of plain words is passed by value, whatever its size: every method call would copy two
  /// kilobytes to the stack. An existential has no fixed layout, so nothing is copied.
  @usableFromInline let addressedOnly: any Sendable = ()

  @inlinable init() {}

  /// The metadata of the entity in a slot.
  @inlinable subscript(slot: Slot) -> EntityRecord {
    @inline(__always) _read { yield records[slot] }
    @inline(__always) _modify { yield &records[slot] }
  }

  @inlinable func slot(of key: EntityKey) -> Slot? { index.find(key, in: records) }

  /// Returns the slot of a key, trying first the one where it was found before; −1: none.
  @inlinable @inline(__always) func slot(of key: EntityKey, expected: Slot) -> Slot? {
    // A free slot may still have a key.
    if expected >= 0, records[expected].key == key, records[expected].isInUse { return expected }
    return slot(of: key)
  }

  /// Returns the first slot to try for a key, which may be another's; −1: there is none.
  @inlinable func firstCandidate(of key: EntityKey) -> Slot { index.firstCandidate(of: key) }

  @inlinable func key(of slot: Slot) -> EntityKey { records[slot].key }

  @inlinable func payload(of slot: Slot) -> Payload? { payloads[slot] }

  /// Calls `body` with the value in a slot, in place; returns `nil` without a value.
  @inlinable @inline(__always) func withPayload<Result, Failure: Error>(
    of slot: Slot, _ body: (Payload) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try payloads.withValue(at: slot, body)
  }

  /// Calls `body` with the value in a slot, in place, if there is one; see ``InPlace``.
  @inlinable @inline(__always) func lendPayload(
    of slot: Slot, _ body: (borrowing InPlace<Payload>) -> Void
  ) {
    payloads.lendValue(at: slot, body)
  }

  @inlinable func isResident(_ slot: Slot) -> Bool { records[slot].isResident }

  @inlinable func isInUse(_ slot: Slot) -> Bool { records[slot].isInUse }

  @inlinable func isListed(_ slot: Slot) -> Bool { records[slot].isListed }

  /// Returns 64 bits that identify the entity across residencies.
  @inlinable func fingerprint(of slot: Slot) -> UInt64 { EntityRecord.hash(records[slot].key) }

  @inlinable func prefetchPayload(of slot: Slot) { payloads.prefetch(slot) }

  /// Returns the slot of a key, added if necessary.
  ///
  /// Amortised O(1).
  @inlinable @inline(__always) mutating func obtainSlot(
    of key: EntityKey, expected: Slot = -1
  ) -> Slot {
    slot(of: key, expected: expected) ?? makeSlot(of: key)
  }

  @inlinable @inline(never) mutating func makeSlot(of key: EntityKey) -> Slot {
    let slot: Slot
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = Slot(slotCount)
      slotCount += 1
      growColumns()
    }
    records[slot].key = key
    index.insert(slot, in: records)
    records[slot].isFound = true
    records[slot].version = .none
    records[slot].library = -1
    records[slot].verification = 0
    records[slot].isAheadOfEvents = false
    return slot
  }

  /// Frees the slot if nothing refers to the entity any longer; no effect on a free one.
  @inlinable mutating func freeIfUnused(_ slot: Slot) {
    guard records[slot].isFound, !records[slot].isInUse, slot != pinned else { return }
    index.remove(slot, in: records)
    records[slot].isFound = false
    freeSlots.append(slot)
    forgotten = max(forgotten, records[slot].version)
    changes.didFree(slot, key: records[slot].key)
  }

  /// Keeps a slot until ``releaseKept()``.
  @inlinable mutating func keep(_ slot: Slot) {
    guard !records[slot].isKept else { return }
    records[slot].isKept = true
    kept.append(slot)
  }

  /// Frees kept slots that are not in use.
  @inlinable mutating func releaseKept() {
    while let slot = kept.popLast() {
      records[slot].isKept = false
      freeIfUnused(slot)
    }
  }

  @inlinable mutating func setPayload(_ payload: Payload, weight: Int, of slot: Slot) {
    payloads[slot] = payload
    if !records[slot].isResident { residentCount += 1 }
    records[slot].isResident = true
    noteWeight(weight, of: slot)
  }

  /// Replaces the slot's value in place: a copy of either counts references to everything in it.
  ///
  /// - Precondition: the slot has a value.
  @inlinable @inline(__always) mutating func exchangePayload(
    of slot: Slot, for payload: inout Payload, weight: Int
  ) {
    payloads.exchangeValue(at: slot, for: &payload)
    noteWeight(weight, of: slot)
  }

  @inlinable @inline(__always) mutating func noteWeight(_ weight: Int, of slot: Slot) {
    let bounded = Int32(clamping: max(weight, 0))
    residentWeight += Int(bounded) - Int(records[slot].weight)
    records[slot].weight = bounded
    changes.mark(slot)
  }

  /// Removes the slot's value.
  ///
  /// - Precondition: the slot has a value.
  @inlinable mutating func removePayload(of slot: Slot) {
    precondition(isResident(slot), "slot \(slot) has no value to remove")
    payloads[slot] = nil
    records[slot].isResident = false
    records[slot].isSummary = false
    residentCount -= 1
    residentWeight -= Int(records[slot].weight)
    records[slot].weight = 0
    changes.mark(slot)
  }

  /// Adds a tombstone; their number is limited, and the oldest is dropped first.
  @inlinable mutating func bury(_ slot: Slot, version: Version, most: Int) {
    if !records[slot].isTombstone || records[slot].version != version {
      tombstones.append(Tombstone(slot: slot, version: version))
    }
    records[slot].isTombstone = true
    records[slot].version = version
    buried = max(buried, version)
    changes.mark(slot)
    while tombstones.count > most, let oldest = tombstones.popFirst() {
      // A later tombstone of the same entity, or of another in its slot, has its own entry.
      guard records[oldest.slot].isTombstone, records[oldest.slot].version == oldest.version
      else { continue }
      records[oldest.slot].isTombstone = false
      freeIfUnused(oldest.slot)
    }
  }

  /// Forgets a version for want of space: older versions of unknown entities are rejected from now on.
  @inlinable mutating func forget(_ version: Version) { forgotten = max(forgotten, version) }

  @inlinable mutating func forgetDeletion(_ version: Version) {
    forget(version)
    buried = max(buried, version)
  }

  @inlinable mutating func growColumns() {
    records.grow(toAtLeast: slotCount)
    payloads.grow(toAtLeast: slotCount)
  }

  /// Calls `body` with every slot in use, in slot order; O(slots).
  @inlinable func forEachSlot<Failure: Error>(
    _ body: (Slot) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<slotCount {
      let slot = Slot(index)
      if isInUse(slot) { try body(slot) }
    }
  }

  /// - Throws: the first inconsistency of the columns; O(slots), for tests.
  @inlinable func checkInvariants() throws(InvariantFailure) {
    var residents = 0
    var weight = 0
    var inUse = 0
    try forEachSlot { slot throws(InvariantFailure) in
      try demand(
        index.find(records[slot].key, in: records) == slot, "slot \(slot) is not found by its key")
      inUse += 1
      try demand(isResident(slot) == (payloads[slot] != nil), "slot \(slot) has lost its value")
      guard isResident(slot) else { return }
      try demand(!records[slot].isTombstone, "slot \(slot) is alive and dead")
      residents += 1
      weight += Int(records[slot].weight)
    }
    try demand(residents == residentCount, "resident count is off")
    try demand(weight == residentWeight, "resident weight is off")
    try demand(index.count == inUse && inUse + freeSlots.count == slotCount, "a slot leaked")
  }
}

@usableFromInline struct Tombstone {
  @usableFromInline var slot: Int32
  @usableFromInline var version: Version
  @inlinable init(slot: Int32, version: Version) {
    self.slot = slot
    self.version = version
  }
}
