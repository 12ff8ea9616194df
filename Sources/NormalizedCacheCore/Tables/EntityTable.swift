public import CacheModel
public import DequeModule
public import EvictionPolicies

/// What a store knows of an entity beside its value: one line of the processor's cache, since an event
/// that finds none of it there waits for each line that it touches.
@usableFromInline struct EntityRecord: KeyedRecord, BitwiseCopyable, Sendable {
  @usableFromInline var key = EntityKey(
    type: ResourceType(rawValue: 0), id: UniqueID(high: 0, low: 0))
  /// The library, as an index of the store's libraries; −1 if no event or response named it.
  @usableFromInline var library: Int16 = -1
  @usableFromInline var weight: Int32 = 0
  @usableFromInline var version = Version.none
  /// When the value was last written, in nanoseconds.
  @usableFromInline var writtenAt: Int64 = 0
  /// The number of the library's last verification when the value was written.
  ///
  /// ``LibraryTable/unverified``: something happened to the entity that could not be decoded.
  @usableFromInline var verification: UInt32 = 0
  /// How many retaining queries list the entity; one more while it has pending edits.
  @usableFromInline var references: Int32 = 0
  /// The first of the entity's listings, as an index of ``ListingTable``; −1 for none.
  @usableFromInline var firstListing: Int32 = -1
  @usableFromInline var isTombstone = false
  /// Whether the entity has a value.
  @usableFromInline var isResident = false
  /// Whether the value is a part of the entity; see ``CacheSchema/isSummary(_:)``.
  @usableFromInline var isSummary = false
  /// Three marks in a byte: more would not fit into the line.
  @usableFromInline var marks: UInt8 = 0

  @inlinable init() {}

  /// Whether the last event of it was older than what an answer had brought: lists that the answer did
  /// not fill may not know of the entity yet.
  @inlinable var isAheadOfEvents: Bool {
    get { marks & 1 != 0 }
    set { marks = newValue ? marks | 1 : marks & ~1 }
  }

  /// Whether the slot is kept until the event has been applied that pushed the entity out of a list.
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

/// The entities that a store knows: one slot each, in flat columns.
///
/// A slot is *resident* (it has a value), *listed* (a query names it, with or without a value), a
/// *tombstone* (it was deleted, and older writes stay dead) or *held* (it has pending edits). A slot
/// that is none of these is free. While it is any of them its version is remembered, so an older write
/// cannot come back.
@usableFromInline struct EntityTable<Payload: Sendable>: ~Copyable {
  @usableFromInline var index = SlotIndex<EntityRecord>()
  @usableFromInline var freeSlots: [Slot] = []
  @usableFromInline var slotCount = 0

  @usableFromInline var records = Column<EntityRecord>(filler: EntityRecord())
  @usableFromInline var payloads = Column<Payload?>(filler: nil)

  /// The newest version of all entities of which nothing is known any longer.
  ///
  /// News of an unknown entity in an older version may be older than what was known of it.
  @usableFromInline var forgotten = Version.none
  /// The newest version of all deletions that were ever remembered.
  @usableFromInline var buried = Version.none
  /// Deletions that are remembered, so that older writes stay dead; oldest first.
  @usableFromInline var tombstones: Deque<Tombstone> = []
  /// What a storage does not have as it is.
  @usableFromInline var changes = ChangeLog<EntityKey>()

  /// A slot that is not given back, since it is about to be written to; −1: none.
  @usableFromInline var pinned: Slot = -1
  /// Slots that are not given back before the event under way has been applied: it may concern their
  /// entities too, in versions older than the known ones.
  @usableFromInline var kept: [Slot] = []

  @usableFromInline var residentCount = 0
  @usableFromInline var residentWeight = 0

  /// Has the table, and the store that has it, passed by address.
  ///
  /// A structure of plain words alone is passed by value, whatever its size: every call of a method
  /// would copy two kilobytes to the stack. An existential has no fixed layout, so nothing is copied.
  @usableFromInline let addressedOnly: any Sendable = ()

  @inlinable init() {}

  /// What is known of the entity in a slot.
  @inlinable subscript(slot: Slot) -> EntityRecord {
    @inline(__always) _read { yield records[slot] }
    @inline(__always) _modify { yield &records[slot] }
  }

  @inlinable func slot(of key: EntityKey) -> Slot? { index.find(key, in: records) }

  /// The same with a slot to look at first, where the entity was found before; −1: none.
  @inlinable @inline(__always) func slot(of key: EntityKey, expected: Slot) -> Slot? {
    // One that is free may have a key still.
    if expected >= 0, records[expected].key == key, records[expected].isInUse { return expected }
    return slot(of: key)
  }

  /// The first slot to look at for a key, which may be another's; −1: there is none.
  @inlinable func firstCandidate(of key: EntityKey) -> Slot { index.firstCandidate(of: key) }

  @inlinable func key(of slot: Slot) -> EntityKey { records[slot].key }

  @inlinable func payload(of slot: Slot) -> Payload? { payloads[slot] }

  /// Calls `body` with the value in a slot where it lies; `nil` where there is none.
  @inlinable @inline(__always) func withPayload<Result, Failure: Error>(
    of slot: Slot, _ body: (Payload) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try payloads.withValue(at: slot, body)
  }

  /// Calls `body` with the value in a slot where it lies, if there is one; see ``InPlace``.
  @inlinable @inline(__always) func lendPayload(
    of slot: Slot, _ body: (borrowing InPlace<Payload>) -> Void
  ) {
    payloads.lendValue(at: slot, body)
  }

  @inlinable func isResident(_ slot: Slot) -> Bool { records[slot].isResident }

  @inlinable func isInUse(_ slot: Slot) -> Bool { records[slot].isInUse }

  @inlinable func isListed(_ slot: Slot) -> Bool { records[slot].isListed }

  /// 64 bits that name the entity across residencies.
  @inlinable func fingerprint(of slot: Slot) -> UInt64 { EntityRecord.hash(records[slot].key) }

  /// Asks the processor for the value in a slot.
  @inlinable func prefetchPayload(of slot: Slot) { payloads.prefetch(slot) }

  /// The slot of a key, made if there is none.
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

  /// Gives the slot back if nothing names the entity any longer; a free one stays as it is.
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

  /// Gives back what was kept and is not in use.
  @inlinable mutating func releaseKept() {
    while let slot = kept.popLast() {
      records[slot].isKept = false
      freeIfUnused(slot)
    }
  }

  /// Gives the slot a value.
  @inlinable mutating func setPayload(_ payload: Payload, weight: Int, of slot: Slot) {
    payloads[slot] = payload
    if !records[slot].isResident { residentCount += 1 }
    records[slot].isResident = true
    noteWeight(weight, of: slot)
  }

  /// Exchanges the slot's value for another: a copy of either counts references to all that it holds.
  ///
  /// - Precondition: it has one.
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

  /// Takes the slot's value away.
  ///
  /// - Precondition: it has one.
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

  /// Remembers a deletion, of a bounded number, oldest forgotten first.
  @inlinable mutating func bury(_ slot: Slot, version: Version, most: Int) {
    if !records[slot].isTombstone || records[slot].version != version {
      tombstones.append(Tombstone(slot: slot, version: version))
    }
    records[slot].isTombstone = true
    records[slot].version = version
    buried = max(buried, version)
    changes.mark(slot)
    while tombstones.count > most, let oldest = tombstones.popFirst() {
      // A later deletion of the same entity, or of another in its slot, is remembered for itself.
      guard records[oldest.slot].isTombstone, records[oldest.slot].version == oldest.version
      else { continue }
      records[oldest.slot].isTombstone = false
      freeIfUnused(oldest.slot)
    }
  }

  /// Forgets a version that there is no place to remember: news of an unknown entity in an older
  /// one is not believed.
  @inlinable mutating func forget(_ version: Version) { forgotten = max(forgotten, version) }

  /// The same of a deletion.
  @inlinable mutating func forgetDeletion(_ version: Version) {
    forget(version)
    buried = max(buried, version)
  }

  @inlinable mutating func growColumns() {
    records.grow(toAtLeast: slotCount)
    payloads.grow(toAtLeast: slotCount)
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

/// A deletion that is remembered.
@usableFromInline struct Tombstone {
  @usableFromInline var slot: Int32
  @usableFromInline var version: Version
  @inlinable init(slot: Int32, version: Version) {
    self.slot = slot
    self.version = version
  }
}
