public import CacheModel
public import DequeModule
public import EvictionPolicies

extension CacheStore {
  /// Traps unless the eviction order is consistent; O(all entries), for tests.
  @inlinable package func checkOrder() { evictable.order.checkInvariants() }

  /// Returns the first inconsistency of the store; `nil`: none.
  ///
  /// The eviction order is not checked. O(entire store).
  @inlinable package func invariantFailure() -> String? {
    do throws(InvariantFailure) {
      try entities.checkInvariants()
      try checkLevels()
      try checkLists()
      try checkReferences()
      try checkProbation()
      try checkHeld()
      try checkReleaseBuffer()
      try checkCoalescing()
      try checkDeadlines()
      try checkLimits()
      try checkOverlay()
      return nil
    } catch {
      return error.description
    }
  }

  @inlinable func checkDeadlines() throws(InvariantFailure) {
    try demand(nextDeadline == earliestDeadline, "a deadline changed outside a commit")
    try demand(expiries.deadlines.count <= expiries.deadlines.limit, "expiries pile up")
    for query in queries.indices where queries[query].isBackingOff {
      try demand(
        refetches.retries.instants[Int(query)] != .max,
        "query \(query) waits for no instant to be fetched")
    }
    for query in queries.indices where queries[query].hasResult && !isPastUse(query) {
      guard queries[query].lifetime != .max, queries[query].lifetime < .max / 4 else { continue }
      try demand(
        expiries.expiredUse > .max / 4 || expiries.deadlines.instants[Int(query)] != .max,
        "query \(query) will not be let go when it has expired")
    }
  }

  @inlinable func checkCoalescing() throws(InvariantFailure) {
    notifications.inWindow.checkInvariants()
    try demand(
      notifications.inWindow.count == 0 || notifications.window > 0,
      "a window is open that has no length")
    var last = Int64.min
    var next = notifications.inWindow.oldest
    while let query = next {
      let record = queries[query]
      try demand(record.isInUse && record.isObserved, "query \(query) has no observer to notify")
      try demand(record.notifiedAt >= last, "the window of query \(query) ends out of turn")
      last = record.notifiedAt
      next = notifications.inWindow.younger(than: query)
    }
    let pending = queries.indices.count { queries[$0].isNoticePending }
    try demand(pending == notifications.pendingCount, "pending notices are miscounted")
  }

  @inlinable func checkReleaseBuffer() throws(InvariantFailure) {
    buffer.list.checkInvariants()
    try demand(
      buffer.list.count <= buffer.limit,
      "the release buffer holds more queries than its limit")
    var last = Int64.min
    var next = buffer.list.oldest
    while let query = next {
      let record = queries[query]
      try demand(record.isInUse && !record.isObserved, "query \(query) is not released")
      try demand(record.releasedAt >= last, "query \(query) is released out of turn")
      last = record.releasedAt
      next = buffer.list.younger(than: query)
    }
    for query in queries.indices where queries[query].isInUse && queries[query].awaitsCollection {
      try demand(
        buffer.mayCollect && !queries[query].isObserved && !buffer.contains(query),
        "query \(query) waits to be collected, and is held or will not be")
    }
  }

  @inlinable func checkProbation() throws(InvariantFailure) {
    try demand(
      evictable.probation.count == 0 || evictable.admitsOnProbation
        || composition.holdsEventsOnProbation,
      "entities are on probation under \(composition.eventAdmission)")
    var weight = 0
    evictable.probation.checkInvariants()
    try evictable.probation.forEach { slot throws(InvariantFailure) in
      try demand(
        entities.isResident(slot) && entities[slot].references == 0,
        "slot \(slot) is on probation, and held or not resident")
      weight += Int(entities[slot].weight)
    }
    try demand(weight == evictable.probation.weight, "the weight on probation is off")
  }

  @inlinable func checkHeld() throws(InvariantFailure) {
    held.list.checkInvariants()
    try demand(held.list.count == 0 || limits.tracksHeld, "rows stand in line for no hard limit")
    guard limits.tracksHeld else { return }
    var count = 0
    try entities.forEachSlot { slot throws(InvariantFailure) in
      let isHeld = entities.isResident(slot) && entities[slot].references > 0
      if held.contains(slot) { count += 1 }
      try demand(!held.contains(slot) || isHeld, "slot \(slot) is in line, and not held")
      try demand(
        held.contains(slot) || !isHeld || optimistic.hasEdits(of: entities.key(of: slot)),
        "slot \(slot) is held, and not in line")
    }
    try demand(count == held.list.count, "the line of held rows is miscounted")
  }

  @inlinable func checkLevels() throws(InvariantFailure) {
    try entities.forEachSlot { slot throws(InvariantFailure) in
      let isHeldSummary = entities.payload(of: slot).map { isSummary($0) } ?? false
      try demand(
        entities[slot].isSummary == isHeldSummary,
        "slot \(slot) takes a summary for a whole, or a whole for a summary")
    }
  }

  @inlinable func checkLists() throws(InvariantFailure) {
    for query in queries.indices {
      let record = queries[query]
      let missing = record.members.count { !hasValue($0, for: query) }
      try demand(record.missing == missing, "query \(query) miscounts what is missing")
      var places: [Slot: Int32] = [:]
      for slot in record.members { places[slot, default: 0] += 1 }
      for slot in Set(record.members) {
        let (found, steps) = listings.search(
          for: query, listing: slot, from: entities[slot].firstListing)
        guard let listing = found else {
          throw InvariantFailure("query \(query) lists slot \(slot), which does not know")
        }
        try demand(
          steps <= ListingTable.searchedLength + 1,
          "that query \(query) lists slot \(slot) is found in \(steps) steps")
        try demand(
          Int32(listings[listing].multiplicity) == places[slot],
          "slot \(slot) miscounts its places in query \(query)")
        try demand(
          listings[listing].holds == record.retainsMembers,
          "query \(query) and its listing of slot \(slot) disagree on retention")
      }
      let inScope = queries.inScope(record.plan.scope, library: record.library)
      try demand(
        inScope.contains(query) && record.isAloneInScope == (inScope.count == 1),
        "query \(query) does not know who else stands in its scope")
      if let limit = record.plan.limit {
        try demand(record.members.count <= limit, "query \(query) has more rows than its limit")
      }
    }
  }

  @inlinable func checkReferences() throws(InvariantFailure) {
    var members: [Int32: Set<Slot>] = [:]
    for query in queries.indices { members[query] = Set(queries[query].members) }
    try entities.forEachSlot { slot throws(InvariantFailure) in
      var held = optimistic.hasEdits(of: entities.key(of: slot)) ? 1 : 0
      var listing = entities[slot].firstListing
      while listing >= 0 {
        let query = listings[listing].query
        try demand(
          queries[query].isInUse && members[query]?.contains(slot) == true,
          "slot \(slot) believes to be listed by query \(query)")
        if listings[listing].holds { held += 1 }
        listing = listings[listing].next
      }
      try demand(
        Int(entities[slot].references) == held,
        "slot \(slot) has \(entities[slot].references) references, but \(held) hold it")
    }
  }

  @inlinable func checkOverlay() throws(InvariantFailure) {
    try optimistic.edits.checkScopes()
    for key in optimistic.edits.keys {
      let noted = optimistic.edits[key]?.scopes ?? []
      for scope in scopes(of: visibleValue(of: key), key) {
        try demand(noted.contains(scope), "lists of \(scope) do not find edited entity \(key)")
      }
    }
  }

  @inlinable func checkLimits() throws(InvariantFailure) {
    try demand(entities.tombstones.count <= StoreLimits.tombstones, "too many tombstones")
    if let maximum = composition.maximumQueries, queries.count > maximum {
      try demand(
        queries.leastRecentlyUsed == nil, "more queries than the limit, and not all observed")
    }
    try demand(!current.isApplyingEvents, "a commit ended while it applied events")
    try demand(current.filledQuery < 0, "a commit ended while it filled a query")
    try demand(
      queries.observerCount == queries.indices.reduce(0) { $0 + Int(queries[$1].observers) }
        && queries.inputBytes == queries.indices.reduce(0) { $0 + queries[$1].key.input.count },
      "observers, or the bytes of keys, are miscounted")
    if fetches.isEmpty {
      try demand(!fetches.changes.isRecording, "changes are recorded for no fetch")
    }
  }
}

@usableFromInline struct InvariantFailure: Error, CustomStringConvertible {
  @usableFromInline let description: String

  @inlinable init(_ description: String) { self.description = description }
}

/// Throws unless the condition is true.
@inlinable func demand(
  _ condition: Bool, _ failure: @autoclosure () -> String
) throws(InvariantFailure) {
  if !condition { throw InvariantFailure(failure()) }
}
