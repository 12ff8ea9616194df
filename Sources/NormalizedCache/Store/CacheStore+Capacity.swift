public import CacheModel
public import EvictionPolicies

/// A capacity in whole entities and bytes: eviction starts above the high marks and stops at the low
/// ones.
@usableFromInline struct CapacityLimits: Sendable {
  @usableFromInline let highEntities: Int
  @usableFromInline let lowEntities: Int
  @usableFromInline let highBytes: Int
  @usableFromInline let lowBytes: Int
  /// The share of the limits that entities on probation may take before they go first: a tenth.
  @usableFromInline let probationEntities: Int
  @usableFromInline let probationBytes: Int
  /// Whether bytes are limited, so that entities differ in the space that they take.
  @usableFromInline let countsBytes: Bool
  /// The least that an entity takes where both are limited: the bytes of one of as many entities as
  /// fit.
  @usableFromInline let leastWeight: Int32

  @inlinable init(_ capacity: Capacity) {
    func mark(_ limit: Int?, _ share: Double) -> Int {
      guard let limit else { return .max }
      // Beyond 2⁵³ a share cannot be told from the limit itself.
      return min(limit, Int(exactly: (Double(limit) * share).rounded(.down)) ?? limit)
    }
    highEntities = mark(capacity.entities, capacity.highWatermark)
    lowEntities = mark(capacity.entities, capacity.lowWatermark)
    highBytes = mark(capacity.bytes, capacity.highWatermark)
    lowBytes = mark(capacity.bytes, capacity.lowWatermark)
    probationEntities = capacity.entities == nil ? .max : ProbationQueue.share(of: highEntities)
    probationBytes = capacity.bytes == nil ? .max : ProbationQueue.share(of: highBytes)
    countsBytes = capacity.bytes != nil
    leastWeight =
      capacity.entities == nil ? 0 : Int32(clamping: highBytes / max(highEntities, 1))
  }

  /// What an eviction order is told of the space that there is: bytes where they are limited,
  /// otherwise entities; `nil`: neither is.
  @inlinable var orderCapacity: Int? {
    countsBytes ? highBytes : highEntities < .max ? highEntities : nil
  }

  /// What an eviction order is told of the space that an entity takes.
  ///
  /// - Parameter weight: its weight in bytes.
  /// - Returns: the share of ``orderCapacity`` that it takes: 1 where entities are counted; where both
  ///   are limited, what it takes of the scarcer.
  @inlinable func space(of weight: Int32) -> Int32 {
    countsBytes ? max(weight, leastWeight) : 1
  }

  /// Whether a cache of this size keeps anything at all.
  @inlinable var admitsEntities: Bool { highEntities > 0 && highBytes > 0 }
}

extension CacheStore {
  /// Evicts until both limits hold, or nothing may be evicted.
  ///
  /// The limit is soft when everything is retained: the overflow is counted, nothing is rescanned,
  /// and the entity being written is never the victim.
  @inlinable mutating func enforceCapacity(protecting written: Slot?) {
    guard
      entities.residentCount > limits.highEntities || entities.residentWeight > limits.highBytes
    else { return }
    var isWrittenSetAside = false
    while entities.residentCount > limits.lowEntities || entities.residentWeight > limits.lowBytes {
      #if PLANTED_DEFECTS
        if plantedDefect == .retainedEvicted { evictRetained(sparing: written) }
      #endif
      guard let victim = nextVictim(but: written, isSetAside: &isWrittenSetAside) else { break }
      removeResident(victim, cause: .evicted)
      entities.freeIfUnused(victim)
      statistics.evictions += 1
    }
    if isWrittenSetAside, let written { order.didRelease(evictionEntry(of: written)) }
    if entities.residentCount > limits.highEntities || entities.residentWeight > limits.highBytes {
      statistics.retainedOverflow += 1
    }
  }

  /// Evicts what was released in this commit, if the limits ask for it.
  ///
  /// At its end only: what one list lets go of, another may take up in the same commit.
  @inlinable mutating func enforceCapacityAfterReleases() {
    guard hasReleased else { return }
    hasReleased = false
    enforceCapacity(protecting: nil)
  }

  /// Takes an entity's value away, for any cause: the one path of removal.
  @inlinable mutating func removeResident(_ slot: Slot, cause: RemovalCause) {
    if entities[slot].references == 0, !leaveProbation(slot) {
      order.didRemove(slot, cause: cause)
    }
    dropValue(of: slot)
  }

  /// Takes away the value of an entity that is not in the eviction order.
  @inlinable mutating func dropValue(of slot: Slot) {
    if !pending.showsNothing { pinPlaces(beside: slot) }
    entities.removePayload(of: slot)
    var listing = entities[slot].firstListing
    while listing >= 0 {
      queries[listings[listing].query].missing += Int(listings[listing].multiplicity)
      listing = listings[listing].next
    }
  }

  /// Puts an entity that has just been given a value where it belongs.
  @inlinable mutating func didBecomeResident(_ slot: Slot) {
    var listing = entities[slot].firstListing
    while listing >= 0 {
      let query = listings[listing].query
      queries[query].missing -= Int(listings[listing].multiplicity)
      // Observers that were told of a gap are told that it closed.
      if queries[query].showsGaps { touchRows(of: query) }
      listing = listings[listing].next
    }
    if entities[slot].references == 0 { enqueue(slot) }
    statistics.peakResidentEntities = max(
      statistics.peakResidentEntities, entities.residentCount)
  }

  @inlinable func evictionEntry(of slot: Slot) -> EvictionEntry {
    evictionEntry(of: slot, weight: entities[slot].weight)
  }

  /// The same of an entity that may not be resident yet.
  @inlinable func evictionEntry(of slot: Slot, weight: Int32) -> EvictionEntry {
    let (expiry, overflow) = entities[slot].writtenAt.addingReportingOverflow(entityLifetime)
    return EvictionEntry(
      slot: slot, fingerprint: entities.fingerprint(of: slot), weight: limits.space(of: weight),
      expiry: overflow ? .max : expiry)
  }

  // MARK: Retention

  /// One more query holds the entity back from eviction.
  @inlinable mutating func hold(_ slot: Slot) {
    entities[slot].references += 1
    guard entities[slot].references == 1, entities.isResident(slot) else { return }
    if !leaveProbation(slot) { order.didRetain(slot) }
  }

  /// One query less holds it back.
  @inlinable mutating func unhold(_ slot: Slot) {
    entities[slot].references -= 1
    guard entities[slot].references == 0, entities.isResident(slot) else { return }
    if composition.retention == .referenceCount {
      dropValue(of: slot)
    } else {
      order.didRelease(evictionEntry(of: slot))
    }
  }

  @inlinable func isWorthRetaining(_ query: Int32) -> Bool {
    switch composition.retention {
    case .none: false
    case .observed, .referenceCount: countsAsObserved(query)
    case .cached: countsAsObserved(query) || !isMarkedStale(query) && !isPastUse(query)
    case .tags: queries[query].isTagged
    }
  }

  /// Makes a query's hold on its members what the retention axis says it should be now.
  @inlinable mutating func updateRetention(of query: Int32) {
    let record = queries[query]
    let shouldRetain = record.hasResult && isWorthRetaining(query)
    guard shouldRetain != record.retainsMembers else { return }
    queries[query].retainsMembers = shouldRetain
    for slot in record.members {
      guard let listing = listing(of: slot, in: query),
        listings[listing].holds != shouldRetain
      else { continue }
      listings[listing].holds = shouldRetain
      if shouldRetain { hold(slot) } else { unhold(slot) }
    }
    if !shouldRetain { hasReleased = true }
  }
}
