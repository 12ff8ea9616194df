public import CacheModel
public import DequeModule
public import EvictionPolicies

extension CacheStore {
  /// Traps unless every count can be derived from the lists; O(everything), for tests and searches.
  @inlinable package func checkInvariants() {
    if let failure = invariantFailure() { preconditionFailure(failure) }
    order.checkInvariants()
  }

  /// What of the store contradicts itself; `nil`: nothing.
  ///
  /// The eviction order is not asked. O(everything).
  @inlinable package func invariantFailure() -> String? {
    do throws(InvariantFailure) {
      try entities.checkInvariants()
      try checkLists()
      try checkReferences()
      try checkLimits()
      return nil
    } catch {
      return error.description
    }
  }

  @inlinable func checkLists() throws(InvariantFailure) {
    for query in queries.indices {
      let record = queries[query]
      let missing = record.members.count { !entities.isResident($0) }
      try demand(record.missing == missing, "query \(query) miscounts what is missing")
      for slot in Set(record.members) {
        guard let listing = listings.find(query: query, from: entities.firstListing[slot]) else {
          throw InvariantFailure("query \(query) lists slot \(slot), which does not know")
        }
        try demand(
          Int(listings.multiplicity[listing]) == record.members.count { $0 == slot },
          "slot \(slot) miscounts its places in query \(query)")
        try demand(
          listings.holds[listing] == record.retainsMembers,
          "query \(query) and its listing of slot \(slot) disagree on retention")
      }
      if let limit = record.plan.limit {
        try demand(record.members.count <= limit, "query \(query) has more rows than its limit")
      }
    }
  }

  @inlinable func checkReferences() throws(InvariantFailure) {
    try entities.forEachSlot { slot throws(InvariantFailure) in
      var held = 0
      var listing = entities.firstListing[slot]
      while listing >= 0 {
        let query = listings.query[listing]
        try demand(
          queries[query].isInUse && queries[query].members.contains(slot),
          "slot \(slot) believes to be listed by query \(query)")
        if listings.holds[listing] { held += 1 }
        listing = listings.next[listing]
      }
      try demand(
        Int(entities.references[slot]) == held,
        "slot \(slot) has \(entities.references[slot]) references, \(held) queries hold it")
    }
  }

  @inlinable func checkLimits() throws(InvariantFailure) {
    try demand(tombstones.count <= StoreLimits.tombstones, "too many tombstones")
    if let maximum = composition.maximumQueries, queries.count > maximum {
      try demand(
        queries.leastRecentlyRead == nil, "more queries than the limit, and not all observed")
    }
    if fetches.isEmpty {
      try demand(!recentChanges.isRecording, "changes are recorded for no fetch")
    }
  }
}

/// What of a store contradicts itself.
@usableFromInline struct InvariantFailure: Error, CustomStringConvertible {
  @usableFromInline let description: String

  @inlinable init(_ description: String) {
    self.description = description
  }
}

/// Throws unless the condition holds.
@inlinable func demand(
  _ condition: Bool, _ failure: @autoclosure () -> String
) throws(InvariantFailure) {
  if !condition { throw InvariantFailure(failure()) }
}
