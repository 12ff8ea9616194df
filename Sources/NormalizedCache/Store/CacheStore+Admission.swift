public import CacheModel
public import EvictionPolicies

/// What becomes of entities that events bring and the cache does not hold.
extension CacheStore {
  /// Whether an entity that is not resident is kept by the write at hand.
  ///
  /// Under update-only it is decided once lists are patched; see ``admitIfListed(_:library:verification:)``.
  @inlinable var allocatesOnWrite: Bool {
    !isApplyingEvents || eventAdmission != .updateOnly
  }

  /// Keeps what the write did not, now that lists are patched: under update-only an event's entity that
  /// a cached query lists by now, so that no list becomes partial by what was just told; and what the
  /// admission turned away that a query retains by now.
  @inlinable mutating func admitIfListed(
    _ entity: VersionedEntity<Payload>, library: Int16, verification: UInt32
  ) {
    let wasDeferred = isApplyingEvents && eventAdmission == .updateOnly
    guard wasDeferred || asksAdmission,
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
    guard asksAdmission, entities[slot].references == 0 else { return true }
    // Those on probation go first, and ask nobody.
    if isApplyingEvents && eventAdmission == .probation || probationExceedsShare { return true }
    let weight = Int32(clamping: max(schema.weight(of: payload), 0))
    let isFull =
      entities.residentCount >= limits.highEntities
      || entities.residentWeight > limits.highBytes - Int(weight)
      || limits.countsMemory
        && predictedTables + predictedValues(adding: Int(weight)) > limits.highMemory
    guard isFull, !order.admits(evictionEntry(of: slot, weight: weight)) else { return true }
    statistics.rejections += 1
    return false
  }

  // MARK: Probation

  /// Puts an entity that may be evicted, and has just become resident, in its queue or order.
  @inlinable mutating func enqueue(_ slot: Slot) {
    if admitsOnProbation || isApplyingEvents && eventAdmission == .probation {
      probation.append(slot, weight: entities[slot].weight, slots: entities.slotCount)
    } else {
      order.didInsert(evictionEntry(of: slot))
    }
  }

  /// Ends the entity's probation, because it is used or held.
  ///
  /// - Returns: whether it was on probation; then it stands in no queue and no order now.
  @inlinable mutating func leaveProbation(_ slot: Slot) -> Bool {
    guard probation.contains(slot) else { return false }
    probation.remove(slot, weight: entities[slot].weight)
    return true
  }

  /// Tells the eviction order of a use, or ends the entity's probation by it.
  ///
  /// - Precondition: the entity is resident, and nothing holds it.
  @inlinable mutating func noteUse(of slot: Slot) {
    if leaveProbation(slot) {
      order.didInsert(evictionEntry(of: slot))
      return
    }
    hitEntries.removeAll(keepingCapacity: true)
    hitEntries.append(evictionEntry(of: slot))
    order.didHit(hitEntries.span)
  }

  /// Whether those on probation take more than their share of the limits.
  @inlinable var probationExceedsShare: Bool {
    probation.count > limits.probationEntities || probation.weight > limits.probationBytes
  }

  /// Names the entity that should go next.
  ///
  /// Those on probation go first while they take more than their share of the limits, and last
  /// otherwise.
  ///
  /// - Parameters:
  ///   - written: the entity being written, which is never the victim.
  ///   - isSetAside: set where the order named it: it is out of the order then, and must be released.
  /// - Returns: the victim; `nil` when nothing but the one being written may go.
  @inlinable mutating func nextVictim(but written: Slot?, isSetAside: inout Bool) -> Slot? {
    if probationExceedsShare, let victim = probation.oldest(but: written) { return victim }
    while let victim = order.nextVictim() {
      guard victim == written else { return victim }
      // An order may name it, by chance or because its hand has come round: it stands aside until
      // there is space.
      order.didRetain(victim)
      isSetAside = true
    }
    return probation.oldest(but: written)
  }
}
