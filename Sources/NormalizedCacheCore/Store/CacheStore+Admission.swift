public import CacheModel
public import EvictionPolicies

/// What becomes of entities that events bring and the cache does not hold.
extension CacheStore {
  /// Whether an entity that is not resident is kept by the write at hand.
  ///
  /// Under update-only it is decided once lists are patched; see ``admitIfListed(_:library:verification:)``.
  @inlinable var allocatesOnWrite: Bool {
    !current.isApplyingEvents || evictable.eventAdmission != .updateOnly
  }

  /// Keeps what the write did not, now that lists are patched: under update-only an event's entity that
  /// a cached query lists by now, so that no list becomes partial by what was just told; and what the
  /// admission turned away that a query retains by now.
  @inlinable mutating func admitIfListed(
    _ entity: VersionedEntity<Payload>, library: Int16, verification: UInt32
  ) {
    let wasDeferred = current.isApplyingEvents && evictable.eventAdmission == .updateOnly
    guard wasDeferred || evictable.asksAdmission,
      let slot = entities.slot(of: entity.key), entities.isListed(slot),
      !entities.isResident(slot), entities[slot].version == entity.version,
      wasDeferred || entities[slot].references > 0
    else { return }
    noteVerification(of: slot, library: library, verification, isKnown: true)
    entities[slot].writtenAt = now.nanoseconds
    entities.pinned = slot
    if admits(entity.payload, in: slot), isAdmitted(entity.payload, in: slot),
      hasSpace(for: entity.payload, in: slot), entities.isListed(slot)
    {
      makeResident(entity.payload, in: slot)
      enforceCapacity(protecting: slot)
    }
    entities.pinned = -1
    entities.freeIfUnused(slot)
  }

  /// Whether a value that is not resident is worth what would have to go for it.
  ///
  /// What something retains is kept without a question, as is everything while there is space, and
  /// what stands on probation at first.
  @inlinable mutating func isAdmitted(_ payload: Payload, in slot: Slot) -> Bool {
    guard evictable.asksAdmission, entities[slot].references == 0 else { return true }
    // Those on probation go first, and are not asked about.
    if current.isApplyingEvents && evictable.eventAdmission == .probation
      || evictable.exceedsShare(of: limits)
    {
      return true
    }
    let weight = Int32(clamping: max(schema.weight(of: payload), 0))
    let isFull =
      entities.residentCount >= limits.highEntities
      || entities.residentWeight > limits.highBytes - Int(weight)
      || limits.countsMemory
        && memory.tables + predictedValues(adding: Int(weight)) > limits.highMemory
    guard isFull, !evictable.order.admits(evictionEntry(of: slot, weight: weight)) else {
      return true
    }
    statistics.rejections += 1
    return false
  }

  // MARK: Standing among those that may be evicted

  /// Adds an entity that may be evicted, and has just become resident.
  @inlinable mutating func enqueue(_ slot: Slot) {
    evictable.insert(
      evictionEntry(of: slot), weight: entities[slot].weight,
      fromEvent: current.isApplyingEvents, slots: entities.slotCount)
  }

  /// Tells the eviction order of a use, or ends the entity's probation by it.
  ///
  /// - Precondition: the entity is resident, and nothing holds it.
  @inlinable mutating func noteUse(of slot: Slot) {
    evictable.noteUse(evictionEntry(of: slot), weight: entities[slot].weight)
  }

  /// Names the entity that should go next; see ``EvictableRows/nextVictim(under:but:isSetAside:)``.
  @inlinable mutating func nextVictim(but written: Slot?, isSetAside: inout Bool) -> Slot? {
    evictable.nextVictim(under: limits, but: written, isSetAside: &isSetAside)
  }
}
