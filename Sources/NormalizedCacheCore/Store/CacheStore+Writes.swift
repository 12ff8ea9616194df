public import CacheModel
public import EvictionPolicies

/// The only write path: for fetched, pushed and local entities.
extension CacheStore {
  @usableFromInline enum WriteResult {
    /// Rejected: older than the known version.
    case superseded
    /// The version that is already known.
    case known
    /// A newer version, written.
    case written
    /// A newer version, which replaced a value.
    case replaced
  }

  /// Writes a value unless the cache knows a newer one, within the limits.
  ///
  /// - Parameters:
  ///   - entity: the value and its version.
  ///   - library: the store's index of its library; −1 if unknown.
  ///   - verification: the number of the library's last verification that the value includes; of all
  ///     libraries if unknown.
  ///   - place: the value's position in its stream.
  /// - Returns: the result.
  @discardableResult
  @inlinable mutating func write(
    _ entity: VersionedEntity<Payload>, library: Int16, verification: UInt32,
    at place: StreamPlace?
  ) -> WriteResult {
    guard hasPlace(for: entity.key) else {
      forget(entity, library: library, since: place)
      return .superseded
    }
    var entity = entity
    let result = write(
      &entity, in: obtainSlot(of: entity.key), library: library, verification: verification,
      at: place, listedBy: nil)
    replaced.keep(entity)
    return result
  }

  /// Drops an entity without a slot: lists that it may enter become unverified, and older versions of it are
  /// rejected later.
  @inlinable @inline(never) mutating func forget(
    _ entity: VersionedEntity<Payload>, library: Int16, since place: StreamPlace?
  ) {
    entities.forget(entity.version)
    markListsUnverified(about: entity, library: library, since: place)
  }

  /// Returns the slot of a key, added and registered with the eviction order if necessary.
  @inlinable mutating func obtainSlot(of key: EntityKey, expected: Slot = -1) -> Slot {
    let before = entities.slotCount
    let slot = entities.obtainSlot(of: key, expected: expected)
    if entities.slotCount > before { evictable.order.reserve(slots: entities.slotCount) }
    return slot
  }

  /// Writes a value into the entity's known slot.
  ///
  /// - Parameters:
  ///   - entity: the value and its version; after ``WriteResult/replaced``, the replaced value.
  ///   - slot: the slot of its key, reserved in the eviction order.
  ///   - library: the store's index of its library; −1 if unknown.
  ///   - verification: the number of the library's last verification that the value includes.
  ///   - place: the value's position in its stream.
  ///   - listedBy: the query whose response brings the entity, and which needs no patching.
  /// - Returns: the result.
  @inlinable mutating func write(
    _ entity: inout VersionedEntity<Payload>, in slot: Slot, library: Int16,
    verification: UInt32, at place: StreamPlace?, listedBy: Int32?
  ) -> WriteResult {
    // The last query that lists it may be evicted to make space for it.
    entities.pinned = slot
    if optimistic.visible.isWatched { willChange(slot, to: entity.payload) }
    var result = accept(entity.version, in: slot)
    guard !isSuperseded(result) else {
      statistics.itemsSuperseded += 1
      entities.pinned = -1
      entities.freeIfUnused(slot)
      return .superseded
    }
    noteVerification(of: slot, library: library, verification, isKnown: isKnown(result))
    entities[slot].writtenAt = now.nanoseconds
    entities.changes.mark(slot)
    if case .written = result, exchangesValue(of: slot, for: entity.payload) {
      exchange(&entity, in: slot, since: place, but: listedBy)
      result = .replaced
    } else {
      let replaces = !isKnown(result) || completes(entity.payload, in: slot)
      let isBack = recordedOrders.isOn && isKnown(result) && !entities.isResident(slot)
      let former = admit(entity.payload, in: slot, replacesValue: replaces)
      if isBack { recordPositions(of: entity, in: slot, but: listedBy) }
      if case .written = result {
        if !looksTheSame(former, entity.payload) {
          touchHolders(of: slot)
        } else if recordedOrders.isOn {
          markHoldersUnsent(of: slot)
        }
        patchHolders(of: slot, payload: entity.payload, former: former, since: place, but: listedBy)
      }
    }
    enforceCapacity(protecting: slot)
    entities.pinned = -1
    entities.freeIfUnused(slot)
    return result
  }

  /// Returns whether a value replaces an older one: the usual case, in which the value stays in its slot,
  /// whatever is evicted for it.
  @inlinable @inline(__always) func exchangesValue(of slot: Slot, for payload: Payload) -> Bool {
    entities.isResident(slot) && !limits.countsMemory && !limits.isHard
      && admits(payload, in: slot)
  }

  /// Replaces a resident value by a newer one, and corrects the lists that contain it.
  ///
  /// The values are compared in place, and a list with an unchanged position is not corrected: a copy of a
  /// value counts references to everything in it.
  @inlinable mutating func exchange(
    _ entity: inout VersionedEntity<Payload>, in slot: Slot, since place: StreamPlace?,
    but skipped: Int32?
  ) {
    var change = ValueChange()
    withValueInPlace(&entity.payload) { payload in
      change = self.change(of: slot, to: payload, but: skipped)
    }
    exchangeValue(of: slot, for: &entity.payload, weight: change.weight)
    noteWrite(of: slot)
    if !change.looksTheSame {
      touchHolders(of: slot)
    } else if recordedOrders.isOn {
      markHoldersUnsent(of: slot)
    }
    if !change.keepsPlaces, let payload = entities.payload(of: slot) {
      patchHolders(of: slot, payload: payload, former: entity.payload, since: place, but: skipped)
    }
  }

  /// The effect of replacing a value, as far as needed.
  @usableFromInline struct ValueChange {
    @usableFromInline var weight = 0
    @usableFromInline var looksTheSame = false
    /// Whether no list that contains the entity needs a correction.
    @usableFromInline var keepsPlaces = false
    @inlinable init() {}
  }

  @inlinable @inline(__always) func change(
    of slot: Slot, to payload: borrowing InPlace<Payload>, but skipped: Int32?
  ) -> ValueChange {
    var change = ValueChange()
    change.weight = schema.weight(of: payload.value)
    entities.lendPayload(of: slot) { former in
      compare(former, payload, of: slot, but: skipped, &change)
    }
    return change
  }

  @inlinable @inline(__always) func compare(
    _ former: borrowing InPlace<Payload>, _ payload: borrowing InPlace<Payload>, of slot: Slot,
    but skipped: Int32?, _ change: inout ValueChange
  ) {
    change.looksTheSame = schema.areEqual(former.value, payload.value)
    change.keepsPlaces = holdersKeepPlace(of: slot, former.value, payload.value, but: skipped)
  }

  /// Notes the verification of its library that a value includes.
  @inlinable mutating func noteVerification(
    of slot: Slot, library: Int16, _ verification: UInt32, isKnown: Bool
  ) {
    // A late answer does not revoke what is already verified.
    if isKnown, verification == LibraryTable.unverified { return }
    let owner = entities[slot].library
    var last = entities[slot].verification
    if isKnown, last == LibraryTable.unverified {
      // An event with a known version does not confirm undecodable changes; an answer does.
      if current.isApplyingEvents { return }
      last = 0
      entities[slot].verification = 0
    }
    if library >= 0 {
      // The same version received again, perhaps from before a verification, revokes none.
      let former = isKnown && owner == library ? last : 0
      entities[slot].verification = max(verification, former)
      entities[slot].library = library
      libraries.noteData(of: library)
    } else if !isKnown {
      // Sent before the last verification of any library, it includes none of its own.
      let isLatest = verification == libraries.verifications
      entities[slot].verification = isLatest ? libraries.verification(of: owner) : 0
      if owner < 0 { libraries.noteData(of: owner) }
    }
  }

  @inlinable func isSuperseded(_ result: WriteResult) -> Bool {
    if case .superseded = result { true } else { false }
  }

  @inlinable func isKnown(_ result: WriteResult) -> Bool {
    if case .known = result { true } else { false }
  }

  /// Decides by version whether a value is accepted, and stores its version.
  @inlinable mutating func accept(_ version: Version, in slot: Slot) -> WriteResult {
    if planted(.tombstoneIgnored), entities[slot].isTombstone {
      entities[slot].version = .none
    }
    if planted(.olderOverwritesNewer), !entities[slot].isTombstone,
      version < entities[slot].version
    {
      entities[slot].version = .none
    }
    let known = entities[slot].version
    if entities[slot].isTombstone {
      guard version > known else { return .superseded }
      entities[slot].isTombstone = false
    }
    if version < known { return .superseded }
    if version == known, known != .none { return .known }
    entities[slot].version = version
    return .written
  }

  @inlinable func looksTheSame(_ former: Payload?, _ payload: Payload) -> Bool {
    guard let former else { return false }
    return schema.areEqual(former, payload)
  }

  @inlinable mutating func touchHolders(of slot: Slot) {
    var listing = entities[slot].firstListing
    while listing >= 0 {
      touchRows(of: listings[listing].query)
      listing = listings[listing].next
    }
  }

  @inlinable var mostTombstones: Int {
    min(StoreLimits.tombstones, limits.memory / StoreLimits.memoryPerTombstone)
  }

  // MARK: Local writes

  /// Writes an entity outside any stream: an app's own confirmed change.
  @inlinable public mutating func write(
    _ entity: VersionedEntity<Payload>, library: LibraryID, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    var entity = entity
    recordChange(of: &entity, library: libraries.index(of: library), at: nil, isCurrent: true)
    replaced.keep(entity)
  }

  /// Deletes an entity outside any stream.
  @inlinable public mutating func delete(
    _ key: EntityKey, version: Version, library: LibraryID, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    record(.deleted(key, version: version, library: libraries.index(of: library)), at: nil)
  }
}
