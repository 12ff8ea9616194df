public import CacheModel
public import EvictionPolicies

/// What a query shows, without touching recency.
extension CacheStore {
  /// The rows of a query in order, without touching recency; `nil` where it has no result.
  ///
  /// A member that has no value is `nil`, and one of which only a summary is held where the query shows more. Pending mutations show: in what they create, change and
  /// delete.
  @inlinable public func rows(of key: QueryKey) -> [VersionedEntity<Payload>?]? {
    guard let query = queries.index(of: key), queries[query].hasResult else { return nil }
    guard optimistic.showsConfirmed else { return visibleRows(of: query).map(\.entity) }
    return queries[query].members.map { confirmedEntity(in: $0, for: query) }
  }

  /// The same without those that have no value, and how many these are; O(rows).
  @inlinable package func residentRows(
    of key: QueryKey
  ) -> (rows: [VersionedEntity<Payload>], missing: Int)? {
    guard let query = queries.index(of: key), queries[query].hasResult else { return nil }
    guard optimistic.showsConfirmed else {
      let shown = visibleRows(of: query)
      let rows = shown.compactMap(\.entity)
      return (rows, shown.count - rows.count)
    }
    let members = queries[query].members
    var rows: [VersionedEntity<Payload>] = []
    rows.reserveCapacity(members.count)
    for index in members.indices {
      prefetchRow(index + Self.rowsAhead, of: members)
      if let row = confirmedEntity(in: members[index], for: query) { rows.append(row) }
    }
    return (rows, members.count - rows.count)
  }

  /// What becomes of the rows of a query that have a value, each where it lies: nothing of it is copied
  /// but what `transform` takes.
  ///
  /// O(rows).
  @inlinable package func mapRows<Row, Failure: Error>(
    of key: QueryKey, _ transform: (EntityKey, Version, Payload) throws(Failure) -> Row
  ) throws(Failure) -> [Row] {
    guard let query = queries.index(of: key), queries[query].hasResult else { return [] }
    let members = queries[query].members
    var rows: [Row] = []
    rows.reserveCapacity(members.count)
    guard optimistic.showsConfirmed else {
      for row in visibleRows(of: query) {
        if let payload = row.payload { rows.append(try transform(row.key, row.version, payload)) }
      }
      return rows
    }
    for index in members.indices {
      prefetchRow(index + Self.rowsAhead, of: members)
      let slot = members[index]
      if isTooLittle(slot, for: query) { continue }
      let row = try entities.withPayload(of: slot) { payload throws(Failure) in
        try transform(entities.key(of: slot), entities[slot].version, payload)
      }
      if let row { rows.append(row) }
    }
    return rows
  }

  /// How far ahead of a row that is read the processor is asked for another.
  @inlinable static var rowsAhead: Int { 4 }

  /// Asks the processor for a row, if there is one.
  @inlinable @inline(__always) func prefetchRow(_ index: Int, of members: [Slot]) {
    if index < members.count { entities.prefetchPayload(of: members[index]) }
  }

  /// What those get who waited for a fetch: the list as the cache has it since, also where the cache
  /// is too small to hold its rows.
  ///
  /// Each row is in its newest known version; what is known to be deleted is left out. O(rows).
  ///
  /// - Parameters:
  ///   - target: what was fetched.
  ///   - response: the answer, which has been completed.
  /// - Returns: the rows in order.
  @inlinable public func rows(
    of target: FetchTarget, answeredBy response: FetchResponse<Payload>
  ) -> [VersionedEntity<Payload>] {
    guard optimistic.showsConfirmed else { return visibleRows(of: target, answeredBy: response) }
    return confirmedRows(of: target, answeredBy: response)
  }

  @inlinable func confirmedRows(
    of target: FetchTarget, answeredBy response: FetchResponse<Payload>
  ) -> [VersionedEntity<Payload>] {
    if case .query(let key) = target, let query = queries.index(of: key),
      case let record = queries[query], record.hasResult
    {
      var answered: [EntityKey: VersionedEntity<Payload>] = [:]
      for entity in response.entities { answered[entity.key] = entity }
      let rows = record.members.compactMap { slot in
        confirmedEntity(in: slot, for: query) ?? answered[entities.key(of: slot)]
      }
      if rows.count == record.members.count || response.isNotModified { return rows }
    }
    let needsWholes = needsWholes(target)
    return response.entities.compactMap { entity in
      guard let slot = entities.slot(of: entity.key) else { return entity }
      let known = entities[slot].version
      if entities[slot].isTombstone, known >= entity.version { return nil }
      guard known > entity.version, !needsWholes || isWhole(slot) else { return entity }
      return confirmedEntity(in: slot) ?? entity
    }
  }

  /// An entity as it is shown, without touching recency: its confirmed value with the pending edits on
  /// top.
  ///
  /// One that the server has given another key is found under both, and bears the server's. Where the
  /// cache holds a summary of it, that is what it shows.
  @inlinable public func peek(_ key: EntityKey) -> VersionedEntity<Payload>? {
    let key = serverKey(of: key)
    return optimistic.hasEdits(of: key) ? visibleEntity(key) : confirmedEntity(key)
  }

  /// A resident entity as the server confirmed it.
  @inlinable package func confirmedEntity(_ key: EntityKey) -> VersionedEntity<Payload>? {
    entities.slot(of: key).flatMap { confirmedEntity(in: $0) }
  }

  /// The entity in a slot as the server confirmed it; `nil` where it has no value.
  @inlinable @inline(__always) func confirmedEntity(in slot: Slot) -> VersionedEntity<Payload>? {
    guard let payload = entities.payload(of: slot) else { return nil }
    return VersionedEntity(
      key: entities.key(of: slot), version: entities[slot].version, payload: payload)
  }

  /// The same for a query; `nil` also where that shows more than a summary, which is all there is.
  @inlinable @inline(__always) func confirmedEntity(
    in slot: Slot, for query: Int32
  ) -> VersionedEntity<Payload>? {
    isTooLittle(slot, for: query) ? nil : confirmedEntity(in: slot)
  }
}

/// What has expired, and is served all the same.
extension CacheStore {
  /// Whether a query's result has expired within a window, and is otherwise whole and not known to be
  /// out of date.
  @inlinable func isServedExpired(_ query: Int32, within window: Duration) -> Bool {
    let record = queries[query]
    return record.hasResult && record.hasExpired(at: now)
      && !record.hasExpired(at: now, forAtLeast: window.wholeNanoseconds)
      && record.missing == 0 && !isMarkedStale(query)
      // A cache that can hold no entity is no cache of empty lists either.
      && (!record.members.isEmpty || composition.capacity.entities != 0)
  }

  /// The same of a resident entity.
  @inlinable func isServedExpired(
    _ slot: Slot, _ payload: Payload, within window: Duration
  ) -> Bool {
    hasExpired(slot, at: now) && !hasExpired(slot, at: now, forAtLeast: window.wholeNanoseconds)
      && !isStaleEntity(slot, payload: payload)
  }

  /// Whether a resident entity has outlived its time to live, and by how much at least, in
  /// nanoseconds.
  @inlinable func hasExpired(_ slot: Slot, at now: Instant, forAtLeast window: Int64 = 0) -> Bool {
    expiries.hasExpired(writtenAt: entities[slot].writtenAt, at: now, forAtLeast: window)
  }

  /// What those get who waited for a fetch that came to nothing.
  @inlinable func ending(ofFailed target: FetchTarget) -> FetchEnding {
    let window = composition.freshness.staleIfError
    guard window > .zero else { return .failed }
    switch target {
    case .query(let key):
      guard let query = queries.index(of: key) else { return .failed }
      return isServedExpired(query, within: window) ? .servedExpired : .failed
    case .entity(let key):
      guard let slot = entities.slot(of: key), let payload = wholePayload(of: slot) else {
        return .failed
      }
      return isServedExpired(slot, payload, within: window) ? .servedExpired : .failed
    }
  }
}

/// Entities of which a list shows a part, and another query the whole.
///
/// An entity has one value at a time, of one version, a summary or the whole; what is shown never mixes
/// two versions. Of one version the whole stays when a summary comes; a newer summary takes the place of
/// an older whole, and who shows the whole has a gap until the server is asked. For a schema without
/// summaries all of this is left out when the store is specialised.
extension CacheStore {
  /// Whether a value is a summary.
  @inlinable @inline(__always) func isSummary(_ payload: Payload) -> Bool {
    if planted(.summaryTakenForWhole) { return false }
    return Schema.hasSummaries && schema.isSummary(payload)
  }

  /// Whether a query can show a value, or needs more of it.
  @inlinable @inline(__always) func canShow(isSummary: Bool, _ query: Int32) -> Bool {
    !Schema.hasSummaries || !isSummary || queries[query].plan.showsSummaries
  }

  /// Whether a slot holds a summary, and a query shows more.
  @inlinable @inline(__always) func isTooLittle(_ slot: Slot, for query: Int32) -> Bool {
    !canShow(isSummary: entities[slot].isSummary, query)
  }

  /// Whether a slot has a value that a query can show.
  @inlinable @inline(__always) func hasValue(_ slot: Slot, for query: Int32) -> Bool {
    entities.isResident(slot) && !isTooLittle(slot, for: query)
  }

  /// Whether the value in a slot, if there is one, is the whole.
  @inlinable @inline(__always) func isWhole(_ slot: Slot) -> Bool {
    !Schema.hasSummaries || !entities[slot].isSummary
  }

  /// The value in a slot; `nil` where there is none, or only a summary.
  @inlinable @inline(__always) func wholePayload(of slot: Slot) -> Payload? {
    isWhole(slot) ? entities.payload(of: slot) : nil
  }

  /// Whether what is fetched shows more than summaries.
  @inlinable func needsWholes(_ target: FetchTarget) -> Bool {
    guard Schema.hasSummaries, case .query(let key) = target else { return true }
    let plan = queries.index(of: key).map { queries[$0].plan } ?? schema.plan(for: key)
    return !plan.showsSummaries
  }

  /// Whether a value of the version that a slot has a summary of is the whole of it, and is kept.
  @inlinable @inline(__always) func completes(_ payload: Payload, in slot: Slot) -> Bool {
    guard Schema.hasSummaries, entities.isResident(slot) else { return false }
    if planted(.wholeLostToItsSummary), isSummary(payload) { return true }
    return entities[slot].isSummary && !isSummary(payload) && admits(payload, in: slot)
  }

  /// Notes whether the value that a slot is about to have, in exchange for the one it has, is a summary.
  @inlinable @inline(__always) mutating func noteLevel(of slot: Slot, _ isSummary: Bool) {
    if entities[slot].isSummary != isSummary { changeLevel(of: slot, isSummary) }
  }

  /// Opens or closes gaps in the lists that show more than summaries.
  ///
  /// Observers of such a list are notified, and the list is fetched again. O(queries that list the entity).
  @inlinable @inline(never) mutating func changeLevel(of slot: Slot, _ isSummary: Bool) {
    if isSummary, !optimistic.showsConfirmed { pinPositions(beside: slot) }
    entities[slot].isSummary = isSummary
    var listing = entities[slot].firstListing
    while listing >= 0 {
      let query = listings[listing].query
      if !queries[query].plan.showsSummaries {
        if isSummary {
          queries[query].missing += Int(listings[listing].multiplicity)
          touchRows(of: query)
          if queries[query].isObserved { refetches.want(query) }
        } else {
          closeGap(ofListing: listing, in: query)
        }
      }
      listing = listings[listing].next
    }
  }

  /// Has a list fetched once more, after a pause, whose answer was older than summaries that the cache
  /// has of its rows.
  @inlinable @inline(never) mutating func askForWholes(of query: Int32) {
    guard queries[query].isObserved, queries[query].missing > 0,
      queries[query].members.contains(where: { isTooLittle($0, for: query) })
    else { return }
    backOff(query: query)
  }
}
