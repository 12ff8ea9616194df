public import EvictionPolicies

/// A defect that a store has on request, to show that a search would find it.
///
/// In debug builds only. Each is one line where a real mistake could be made.
@usableFromInline package enum PlantedDefect: String, Hashable, Sendable, CaseIterable {
  case itemDroppedFromBatch
  case tombstoneIgnored
  case olderOverwritesNewer
  case summaryTakenForWhole
  case wholeLostToItsSummary
  case duplicateMovesCursorBack
  case referenceLeakedOnReplace
  case retainedEvicted
  case hardLimitIgnored
  case tableGrowthUnforeseen
  case lifetimeExtendedByEvent
  case expiryMissedAtItsBoundary
  case membershipBlindOnMove
  case rowAppendedUnordered
  case windowNotRefilled
  case librariesMixed
  case gapIgnored
  case gapSkipped
  case heartbeatIgnored
  case epochChangeIgnored
  case tooOldIgnored
  case bulkNoticeIgnored
  case undecodableItemIgnored
  case entityInvalidationForgotten
  case eventConfirmsOthers
  case outdatedFetchJoined
  case outdatedEntityFetchJoined
  case laterCauseReplaced
  case changesDuringFetchForgotten
  case failedFetchForgottenByQuery
  case notificationSwallowed
  case notificationRepeated
  case changedRowKept
  case queryLimitIgnored
  case releaseBufferUnbounded
  case changedListConfirmed
  case coalescingLosesLastValue
  case rollbackRestoresWrongValue
  case overlayOutOfOrder
  case pendingRowLostInGap
  case outboxSentTwice
  case outboxOutOfOrder
  case sentOnesNotStored
  case renamedAfterRestart
  case dependentsFallUnreported
  case cursorStoredAheadOfData
  case bisectionPastTheEnd
  case victimAwaited
  case containedEventTakenForNews
  case reconcileWaitsOutItsPause
  case lastObserverIsNoUse
}

extension PlantedDefect {
  /// Whether the defect crashes or hangs the process: a search needs a separate process to survive it.
  package var endsProcess: Bool { self == .bisectionPastTheEnd || self == .victimAwaited }
}

extension CacheStore {
  /// Evicts a retained entity; for ``PlantedDefect/retainedEvicted``.
  @usableFromInline mutating func evictRetained(sparing written: Slot?) {
    for index in 0..<entities.slotCount {
      let slot = Slot(index)
      guard slot != written, entities.isResident(slot), entities[slot].references > 0 else {
        continue
      }
      removeResident(slot, cause: .evicted)
      statistics.evictions += 1
      return
    }
  }

  /// Returns whether bisection meets a row without a value; for ``PlantedDefect/pendingRowLostInGap``.
  @usableFromInline func isLostInGap(_ row: Row, _ confirmed: [Row], _ list: List) -> Bool {
    guard let payload = row.payload else { return false }
    var low = 0
    var high = confirmed.count
    while low < high {
      let middle = (low + high) / 2
      guard let other = confirmed[middle].payload else { return true }
      let isBefore = schema.precedes(
        other, key: confirmed[middle].key, payload, key: row.key, in: list.plan.predicate)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return false
  }

  /// Confuses visible with confirmed values; for ``PlantedDefect/rollbackRestoresWrongValue``.
  @usableFromInline mutating func confirmVisibleValues(at index: Int) {
    for key in optimistic.editedKeys(at: index) {
      guard let slot = entities.slot(of: key), entities.isResident(slot),
        case .value(let payload) = visibleValue(of: key)
      else { continue }
      entities.setPayload(payload, weight: Int(entities[slot].weight), of: slot)
    }
  }

  /// Makes a query the next to be evicted, as if it had never been observed; for
  /// ``PlantedDefect/lastObserverIsNoUse``.
  @usableFromInline mutating func takeForUnused(_ query: Int32) {
    var others: [Int32] = []
    var next = queries.unobserved.oldest
    while let other = next {
      if other != query { others.append(other) }
      next = queries.unobserved.younger(than: other)
    }
    for other in others { queries.unobserved.moveToYoung(other) }
  }

  /// Defers an entity to the next batch although this one's cursor is past its event; for
  /// ``PlantedDefect/cursorStoredAheadOfData``.
  @usableFromInline mutating func putOffLastEntity(of batch: inout Batch) {
    guard !batch.replacesAll, let entity = batch.entities.popLast(),
      let slot = entities.slot(of: entity.key)
    else { return }
    entities.changes.mark(slot)
  }
}
