public import CacheModel
public import EvictionPolicies

/// Which values become resident, and what happens to event values that are not cached.
extension CacheStore {
  /// Returns whether the current write keeps an entity that is not resident.
  ///
  /// Under update-only this is decided after lists are patched; see
  /// ``admitIfListed(_:library:verification:)``.
  @inlinable var allocatesOnWrite: Bool {
    !current.isApplyingEvents || evictable.eventAdmission != .updateOnly
  }

  /// Keeps entities that the write rejected, after lists are patched: under update-only an event's entity
  /// that a cached query now lists, so that no list becomes partial by its arrival; and rejected entities
  /// that a query now retains.
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

  /// Returns whether a value that is not resident is worth its victims.
  ///
  /// Retained entities are always admitted, as is everything while there is space, and arrivals on probation
  /// at first.
  @inlinable mutating func isAdmitted(_ payload: Payload, in slot: Slot) -> Bool {
    guard evictable.asksAdmission, entities[slot].references == 0 else { return true }
    // Entities on probation leave first, without comparison.
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

  // MARK: Making values resident

  /// Makes a value resident, or refreshes it; a write counts as a use of the entity.
  @discardableResult
  @inlinable mutating func admit(
    _ payload: Payload, in slot: Slot, replacesValue: Bool
  ) -> Payload? {
    guard entities.isResident(slot) else {
      if allocatesOnWrite, admits(payload, in: slot), isAdmitted(payload, in: slot),
        hasSpace(for: payload, in: slot)
      {
        makeResident(payload, in: slot)
      }
      return nil
    }
    guard replacesValue else {
      noteWrite(of: slot)
      return nil
    }
    if limits.countsMemory { return replaceWithinMemory(slot, by: payload) }
    guard admits(payload, in: slot) else { return giveUpValue(of: slot) }
    var former = payload
    exchangeValue(of: slot, for: &former, weight: schema.weight(of: payload))
    noteWrite(of: slot)
    return former
  }

  /// Replaces a value under a memory limit: it may not fit, or leave with an evicted query.
  @inlinable @inline(never) mutating func replaceWithinMemory(
    _ slot: Slot, by payload: Payload
  ) -> Payload? {
    let former = entities.payload(of: slot)
    guard admits(payload, in: slot), hasSpace(for: payload, in: slot) else {
      if entities.isResident(slot) { removeResident(slot, cause: .replaced) }
      return former
    }
    guard entities.isResident(slot) else { return former }
    var replaced = payload
    exchangeValue(of: slot, for: &replaced, weight: schema.weight(of: payload))
    noteWrite(of: slot)
    return former
  }

  /// Removes a value whose successor does not fit.
  @inlinable mutating func giveUpValue(of slot: Slot) -> Payload? {
    let former = entities.payload(of: slot)
    removeResident(slot, cause: .replaced)
    return former
  }

  /// Notes a write to a resident entity; an event does not end probation.
  @inlinable mutating func noteWrite(of slot: Slot) {
    if entities[slot].references > 0 {
      if limits.tracksHeld { noteUseInLine(of: slot) }
    } else if !current.isApplyingEvents || !evictable.isOnProbation(slot) {
      noteUse(of: slot)
    }
  }

  /// - Precondition: the entity is resident.
  @inlinable @inline(__always) mutating func exchangeValue(
    of slot: Slot, for payload: inout Payload, weight: Int
  ) {
    if Schema.hasSummaries { noteLevel(of: slot, isSummary(payload)) }
    let former = entities[slot].weight
    entities.exchangePayload(of: slot, for: &payload, weight: weight)
    evictable.didChangeWeight(of: slot, by: entities[slot].weight - former)
    statistics.peakResidentWeight = max(statistics.peakResidentWeight, entities.residentWeight)
  }

  @inlinable mutating func makeResident(_ payload: Payload, in slot: Slot) {
    entities.setPayload(payload, weight: schema.weight(of: payload), of: slot)
    if Schema.hasSummaries { entities[slot].isSummary = isSummary(payload) }
    didBecomeResident(slot)
    statistics.peakResidentWeight = max(statistics.peakResidentWeight, entities.residentWeight)
  }

  /// Returns whether a value may be kept at all: not in a cache of size zero.
  ///
  /// One larger than the whole cache is kept only if a query retains it, so that it does not evict everything
  /// else; under a hard limit only if it has pending edits.
  @inlinable func admits(_ payload: Payload, in slot: Slot) -> Bool {
    guard limits.admitsEntities else { return false }
    guard limits.isHard, entities[slot].references > 0 else {
      return entities[slot].references > 0 || schema.weight(of: payload) <= limits.highBytes
    }
    return schema.weight(of: payload) <= limits.bytes
      || optimistic.hasEdits(of: entities.key(of: slot))
  }

  /// Returns whether memory has, or can be given, space for a value; an entity with pending edits is kept
  /// anyway.
  @inlinable @inline(__always) mutating func hasSpace(for payload: Payload, in slot: Slot) -> Bool {
    !limits.countsMemory || hasMemory(for: payload, in: slot)
  }

  @inlinable @inline(never) mutating func hasMemory(for payload: Payload, in slot: Slot) -> Bool {
    let weight = min(max(schema.weight(of: payload), 0), Int(Int32.max))
    return makeSpace(forWeight: weight - Int(entities[slot].weight), of: slot)
      || entities[slot].references > 0 && optimistic.hasEdits(of: entities.key(of: slot))
  }

  // MARK: Evictable entities

  /// Adds an entity that may be evicted, and has just become resident.
  @inlinable mutating func enqueue(_ slot: Slot) {
    evictable.insert(
      evictionEntry(of: slot), weight: entities[slot].weight,
      fromEvent: current.isApplyingEvents, slots: entities.slotCount)
  }

  /// Notes a use in the eviction order, or ends the entity's probation.
  ///
  /// - Precondition: the entity is resident, and nothing retains it.
  @inlinable mutating func noteUse(of slot: Slot) {
    evictable.noteUse(evictionEntry(of: slot), weight: entities[slot].weight)
  }

  /// Returns the next victim; see ``EvictableRows/nextVictim(under:but:isSetAside:)``.
  @inlinable mutating func nextVictim(but written: Slot?, isSetAside: inout Bool) -> Slot? {
    evictable.nextVictim(under: limits, but: written, isSetAside: &isSetAside)
  }
}
