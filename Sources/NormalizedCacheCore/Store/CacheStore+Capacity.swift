public import CacheModel
public import EvictionPolicies

extension CacheStore {
  /// Evicts until all limits are met, or nothing may be evicted.
  ///
  /// A soft limit is exceeded when everything is retained: the overflow is counted, nothing is rescanned, and
  /// the entity being written is never the victim. Under a hard limit retained entities are evicted; see
  /// ``LimitKind``. Amortised O(1) for each removed entity and listing.
  @inlinable mutating func enforceCapacity(protecting written: Slot?) {
    guard exceedsHighMark else { return }
    var isWrittenSetAside = false
    while exceedsLowMark {
      if planted(.retainedEvicted) { evictRetained(sparing: written) }
      guard let victim = nextVictim(but: written, isSetAside: &isWrittenSetAside) else {
        if limits.isHard, giveWayBeyondLimit(sparing: written, &isWrittenSetAside) { continue }
        if planted(.victimAwaited) { continue }
        break
      }
      evict(victim)
    }
    if isWrittenSetAside { putBack(written, &isWrittenSetAside) }
    if exceedsHighMark { statistics.retainedOverflow += 1 }
  }

  @inlinable @inline(__always) mutating func evict(_ victim: Slot) {
    removeResident(victim, cause: .evicted)
    entities.freeIfUnused(victim)
    statistics.evictions += 1
  }

  /// Puts the entity being written back in the order, if the order had named it as a victim.
  @inlinable @inline(never) mutating func putBack(_ written: Slot?, _ isSetAside: inout Bool) {
    guard isSetAside, let written else { return }
    isSetAside = false
    evictable.order.didRelease(evictionEntry(of: written))
  }

  /// Whether the use of a limit exceeds its high watermark.
  @inlinable @inline(__always) var exceedsHighMark: Bool {
    entities.residentCount > limits.highEntities || entities.residentWeight > limits.highBytes
      || limits.countsMemory && isPredicted(above: limits.highMemory)
  }

  /// Whether the use of a limit exceeds its low watermark.
  @inlinable @inline(__always) var exceedsLowMark: Bool {
    entities.residentCount > limits.lowEntities || entities.residentWeight > limits.lowBytes
      || limits.countsMemory && isPredicted(above: limits.lowMemory)
  }

  @inlinable var exceedsLimit: Bool {
    entities.residentCount > limits.entities || entities.residentWeight > limits.bytes
      || limits.countsMemory && isPredicted(above: limits.memory)
  }

  /// Removes an entity's value, for any cause: the only path of removal.
  @inlinable mutating func removeResident(_ slot: Slot, cause: RemovalCause) {
    if entities[slot].references == 0 {
      evictable.remove(slot, weight: entities[slot].weight, cause: cause)
    }
    dropValue(of: slot)
  }

  /// Removes the value of an entity that is not in the eviction order.
  @inlinable mutating func dropValue(of slot: Slot) {
    if optimistic.visible.isWatched { willLoseValue(slot) }
    if !optimistic.showsConfirmed { pinPositions(beside: slot) }
    let wasSummary = entities[slot].isSummary
    entities.removePayload(of: slot)
    if limits.tracksHeld { leaveLine(slot) }
    var listing = entities[slot].firstListing
    while listing >= 0 {
      let query = listings[listing].query
      if canShow(isSummary: wasSummary, query) {
        queries[query].missing += Int(listings[listing].multiplicity)
      }
      listing = listings[listing].next
    }
  }

  /// Adds an entity that has just received a value to the eviction order, the probation list or the held
  /// entities.
  @inlinable mutating func didBecomeResident(_ slot: Slot) {
    var listing = entities[slot].firstListing
    while listing >= 0 {
      let query = listings[listing].query
      if canShow(isSummary: entities[slot].isSummary, query) {
        closeGap(ofListing: listing, in: query)
      }
      listing = listings[listing].next
    }
    if entities[slot].references == 0 {
      enqueue(slot)
    } else if limits.tracksHeld {
      standInLine(slot)
    }
    statistics.peakResidentEntities = max(statistics.peakResidentEntities, entities.residentCount)
  }

  @inlinable @inline(__always) mutating func closeGap(ofListing listing: Int32, in query: Int32) {
    queries[query].missing -= Int(listings[listing].multiplicity)
    // The present values may determine another position.
    optimistic.visible.unpin(query)
    // Observers that were notified of the missing row are notified of its return.
    if queries[query].showsGaps { touchRows(of: query) }
  }

  @inlinable func evictionEntry(of slot: Slot) -> EvictionEntry {
    evictionEntry(of: slot, weight: entities[slot].weight)
  }

  /// Returns the eviction entry of an entity that may not be resident yet.
  @inlinable func evictionEntry(of slot: Slot, weight: Int32) -> EvictionEntry {
    EvictionEntry(
      slot: slot, fingerprint: entities.fingerprint(of: slot),
      weight: limits.weighs ? space(of: weight) : 1,
      expiry: expiries.expiry(ofEntityWrittenAt: entities[slot].writtenAt))
  }

  /// Returns the space of an entity in an eviction order that counts more than one for each.
  ///
  /// - Returns: its share of ``CapacityLimits/orderCapacity``: the bytes of its value and table slots if
  ///   memory is limited; if entities and bytes are both limited, its use of the scarcer.
  @inlinable @inline(never) func space(of weight: Int32) -> Int32 {
    guard limits.countsMemory else { return max(weight, limits.leastWeight) }
    return Int32(clamping: limits.values.bytes(of: Int(weight)) + limits.bytesPerPlace)
  }

  // MARK: Retention

  /// Adds a query to those that retain the entity.
  @inlinable mutating func hold(_ slot: Slot) {
    entities[slot].references += 1
    guard entities[slot].references == 1, entities.isResident(slot) else { return }
    evictable.retain(slot, weight: entities[slot].weight)
    if limits.tracksHeld { standInLine(slot) }
  }

  /// Removes a query from those that retain the entity.
  @inlinable mutating func unhold(_ slot: Slot) {
    entities[slot].references -= 1
    guard entities.isResident(slot) else { return }
    guard entities[slot].references == 0 else {
      // It may have left the held entities because of pending edits.
      if limits.tracksHeld { standInLine(slot) }
      return
    }
    if limits.tracksHeld { leaveLine(slot) }
    if isRemovedAtZero(slot) {
      dropValue(of: slot)
    } else {
      evictable.order.didRelease(evictionEntry(of: slot))
    }
  }

  /// Returns whether an entity is removed as soon as nothing retains it.
  @inlinable func isRemovedAtZero(_ slot: Slot) -> Bool {
    switch composition.retention {
    case .referenceCountObserved: true
    // A stale query retains nothing, but still lists it.
    case .referenceCount: !entities.isListed(slot)
    case .none, .observed, .cached, .tags: false
    }
  }

  /// Under reference counting, removes an entity that nothing retained and that the last query has just
  /// stopped listing.
  @inlinable mutating func removeIfUnlisted(_ slot: Slot) {
    guard isReferenceCounted, entities[slot].references == 0, !entities.isListed(slot),
      entities.isResident(slot)
    else { return }
    removeResident(slot, cause: .released)
  }

  @inlinable func isWorthRetaining(_ query: Int32) -> Bool {
    switch composition.retention {
    case .none: false
    case .observed, .referenceCountObserved: countsAsObserved(query)
    case .cached, .referenceCount:
      countsAsObserved(query) || !isMarkedStale(query) && !isPastUse(query)
    case .tags: queries[query].isTagged
    }
  }

  /// Makes a query retain its members, or release them, as the retention axis requires now.
  @inlinable mutating func updateRetention(of query: Int32) {
    let shouldRetain = queries[query].hasResult && isWorthRetaining(query)
    if shouldRetain != queries[query].retainsMembers { setRetention(of: query, to: shouldRetain) }
  }

  @inlinable mutating func setRetention(of query: Int32, to shouldRetain: Bool) {
    queries[query].retainsMembers = shouldRetain
    for slot in queries[query].members {
      guard let listing = listing(of: slot, in: query),
        listings[listing].holds != shouldRetain
      else { continue }
      listings[listing].holds = shouldRetain
      if shouldRetain { hold(slot) } else { unhold(slot) }
    }
    if !shouldRetain { released.note() }
  }
}

/// What is evicted if a hard limit is exceeded and nothing may be evicted otherwise.
extension CacheStore {
  /// Evicts something retained, if a hard limit is exceeded.
  @inlinable @inline(never) mutating func giveWayBeyondLimit(
    sparing written: Slot?, _ isWrittenSetAside: inout Bool
  ) -> Bool {
    // Back into the order, since an evicted query may release it.
    putBack(written, &isWrittenSetAside)
    return exceedsLimit && giveWay(sparing: written)
  }

  /// Evicts the least important of what is retained.
  ///
  /// Unobserved queries go first, least recently used first, except the one being filled, which stops
  /// retaining its rows; then rows of observed queries lose their values, least recently used first. Entities
  /// with pending edits stay. Amortised O(1) for each removed listing.
  ///
  /// - Returns: whether anything was evicted.
  @inlinable @inline(never) mutating func giveWay(sparing written: Slot?) -> Bool {
    if planted(.hardLimitIgnored) { return false }
    // If nothing is retained, queries use only memory.
    if limits.tracksHeld || limits.countsMemory, let query = queryToDrop {
      evictQuery(query)
      return true
    }
    if current.filledQuery >= 0, !queries[current.filledQuery].isObserved,
      queries[current.filledQuery].retainsMembers
    {
      setRetention(of: current.filledQuery, to: false)
      return true
    }
    return limits.tracksHeld && evictHeld(sparing: written)
  }

  // MARK: Held entities
  // Apart, so that a store without hard limits pays for one test.

  @inlinable @inline(never) mutating func standInLine(_ slot: Slot) {
    held.add(slot, slots: entities.slotCount)
  }

  @inlinable @inline(never) mutating func leaveLine(_ slot: Slot) { held.remove(slot) }

  @inlinable @inline(never) mutating func noteUseInLine(of slot: Slot) { held.noteUse(of: slot) }

  @inlinable @inline(never) mutating func noteUsesInLine(ofMembersOf query: Int32) {
    for slot in queries[query].members { held.noteUse(of: slot) }
  }

  // MARK: Giving up

  /// The least recently used unobserved query, except the one being filled.
  @inlinable var queryToDrop: Int32? {
    guard let oldest = queries.leastRecentlyUsed else { return nil }
    return oldest == current.filledQuery ? queries.unobserved.younger(than: oldest) : oldest
  }

  @inlinable mutating func evictQuery(_ query: Int32) {
    dropQuery(query, cause: .missEvicted)
    statistics.queriesEvicted += 1
  }

  /// Evicts the value of the least recently used row, although something retains it; the lists keep their
  /// rows.
  @inlinable mutating func evictHeld(sparing written: Slot?) -> Bool {
    while let slot = held.oldest(but: written) {
      held.remove(slot)
      // It is added again when its edits end.
      if optimistic.hasEdits(of: entities.key(of: slot)) { continue }
      dropValue(of: slot)
      statistics.evictions += 1
      return true
    }
    return false
  }
}
