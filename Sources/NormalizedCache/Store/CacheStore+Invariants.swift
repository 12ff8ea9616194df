public import CacheModel
public import DequeModule
public import EvictionPolicies

extension CacheStore {
  /// Traps unless every count can be derived from the lists; O(everything), for tests and searches.
  @inlinable package func checkInvariants() {
    entities.checkInvariants()
    order.checkInvariants()
    checkLists()
    checkReferences()
    checkProbation()
    checkReleaseBuffer()
    checkCoalescing()
    checkDeadlines()
    checkLimits()
  }

  @inlinable func checkDeadlines() {
    // Only a place in the table that is used again, for a method that lives shorter, leaves an entry
    // behind.
    let lifetimes = composition.freshness.perMethod.count + 1
    precondition(
      expiries.count <= queries.records.count * lifetimes, "expiries pile up")
    for query in queries.indices where queries[query].isBackingOff {
      precondition(
        retries.instants[Int(query)] != .max, "query \(query) waits for no instant to be fetched")
    }
    for query in queries.indices where queries[query].hasResult && !isPastUse(query) {
      guard queries[query].lifetime != .max, queries[query].lifetime < .max / 4 else { continue }
      precondition(
        expiredUse > .max / 4 || expiries.instants[Int(query)] != .max,
        "query \(query) will not be let go when it has expired")
    }
  }

  @inlinable func checkCoalescing() {
    queries.inWindow.checkInvariants()
    precondition(
      queries.inWindow.count == 0 || coalescingWindow > 0, "a window is open that has no length")
    var last = Int64.min
    var next = queries.inWindow.oldest
    while let query = next {
      let record = queries[query]
      precondition(record.isInUse && record.isObserved, "query \(query) has nobody to tell")
      precondition(record.notifiedAt >= last, "the window of query \(query) ends out of turn")
      last = record.notifiedAt
      next = queries.inWindow.younger(than: query)
    }
    let pending = queries.indices.count { queries[$0].isNoticePending }
    precondition(pending == queries.pendingNotices, "pending notices are miscounted")
  }

  @inlinable func checkReleaseBuffer() {
    queries.released.checkInvariants()
    precondition(
      queries.released.count <= (composition.releaseBuffer.map { $0.queries ?? .max } ?? 0),
      "the release buffer holds more queries than its limit")
    var last = Int64.min
    var next = queries.released.oldest
    while let query = next {
      let record = queries[query]
      precondition(record.isInUse && !record.isObserved, "query \(query) is not released")
      precondition(record.releasedAt >= last, "query \(query) is released out of turn")
      last = record.releasedAt
      next = queries.released.younger(than: query)
    }
  }

  @inlinable func checkProbation() {
    precondition(
      probation.count == 0 || composition.eventAdmission == .probation,
      "entities are on probation under \(composition.eventAdmission)")
    var weight = 0
    probation.list.checkInvariants()
    probation.forEach { slot in
      precondition(
        entities.isResident(slot) && entities.references[slot] == 0,
        "slot \(slot) is on probation, and held or not resident")
      weight += Int(entities.weights[slot])
    }
    precondition(weight == probation.weight, "the weight on probation is off")
  }

  @inlinable func checkLists() {
    for query in queries.indices {
      let record = queries[query]
      let missing = record.members.count { !entities.isResident($0) }
      precondition(record.missing == missing, "query \(query) miscounts what is missing")
      for slot in Set(record.members) {
        guard let listing = listings.find(query: query, from: entities.firstListing[slot]) else {
          preconditionFailure("query \(query) lists slot \(slot), which does not know")
        }
        precondition(
          Int(listings.multiplicity[listing]) == record.members.count { $0 == slot },
          "slot \(slot) miscounts its places in query \(query)")
        precondition(
          listings.holds[listing] == record.retainsMembers,
          "query \(query) and its listing of slot \(slot) disagree on retention")
      }
      if let limit = record.plan.limit {
        precondition(
          record.members.count <= limit, "query \(query) has more rows than its limit")
      }
    }
  }

  @inlinable func checkReferences() {
    entities.forEachSlot { slot in
      var held = 0
      var listing = entities.firstListing[slot]
      while listing >= 0 {
        let query = listings.query[listing]
        precondition(
          queries[query].isInUse && queries[query].members.contains(slot),
          "slot \(slot) believes to be listed by query \(query)")
        if listings.holds[listing] { held += 1 }
        listing = listings.next[listing]
      }
      precondition(
        Int(entities.references[slot]) == held,
        "slot \(slot) has \(entities.references[slot]) references, \(held) queries hold it")
    }
  }

  @inlinable func checkLimits() {
    precondition(tombstones.count <= StoreLimits.tombstones, "too many tombstones")
    if let maximum = composition.maximumQueries, queries.count > maximum {
      precondition(
        queries.leastRecentlyRead == nil, "more queries than the limit, and not all observed")
    }
    precondition(!isApplyingEvents, "a commit ended while it applied events")
    if fetches.isEmpty {
      precondition(!recentChanges.isRecording, "changes are recorded for no fetch")
    }
  }
}
