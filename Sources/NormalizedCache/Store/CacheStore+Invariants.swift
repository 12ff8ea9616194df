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
    checkLimits()
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
      var held = pending.hasEdits(of: entities.key(of: slot)) ? 1 : 0
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
        "slot \(slot) has \(entities.references[slot]) references, but \(held) hold it")
    }
  }

  @inlinable func checkLimits() {
    precondition(tombstones.count <= StoreLimits.tombstones, "too many tombstones")
    if let maximum = composition.maximumQueries, queries.count > maximum {
      precondition(
        queries.leastRecentlyRead == nil, "more queries than the limit, and not all observed")
    }
    if fetches.isEmpty {
      precondition(!recentChanges.isRecording, "changes are recorded for no fetch")
    }
  }
}
