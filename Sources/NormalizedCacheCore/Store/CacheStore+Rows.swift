public import CacheModel
public import EvictionPolicies

/// The visible rows of queries; reading them does not count as a use.
extension CacheStore {
  /// Returns the rows of a query in order; `nil` without a result.
  ///
  /// A member is `nil` if it has no value, or only a summary while the query shows more. The rows include
  /// pending creations, changes and deletions. This does not count as a use.
  @inlinable public func rows(of key: QueryKey) -> [VersionedEntity<Payload>?]? {
    guard let query = queries.index(of: key), queries[query].hasResult else { return nil }
    guard optimistic.showsConfirmed else { return visibleRows(of: query).map(\.entity) }
    return queries[query].members.map { confirmedEntity(in: $0, for: query) }
  }

  /// Returns the rows that have a value, and the number of the others; O(rows).
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

  /// Transforms the rows of a query that have a value in place, without copying whole values.
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

  /// How many rows ahead the memory of a row is prefetched.
  @inlinable static var rowsAhead: Int { 4 }

  @inlinable @inline(__always) func prefetchRow(_ index: Int, of members: [Slot]) {
    if index < members.count { entities.prefetchPayload(of: members[index]) }
  }

  /// Returns the rows for callers that waited for a fetch: the cache's current list, or the answer's if the
  /// cache is too small for its rows.
  ///
  /// Each row is in its newest known version; deleted rows are left out.
  ///
  /// - Complexity: O(rows).
  /// - Parameters:
  ///   - target: the target of the fetch.
  ///   - response: the answer, which has been applied.
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

  /// Returns an entity as a user sees it: its confirmed value with the pending edits on top.
  ///
  /// This does not count as a use. An entity that the server has given another key can be read by both, and
  /// has the server's. If the cache has only a summary, it returns that.
  @inlinable public func peek(_ key: EntityKey) -> VersionedEntity<Payload>? {
    let key = serverKey(of: key)
    return optimistic.hasEdits(of: key) ? visibleEntity(key) : confirmedEntity(key)
  }

  /// Returns a resident entity as the server confirmed it.
  @inlinable package func confirmedEntity(_ key: EntityKey) -> VersionedEntity<Payload>? {
    entities.slot(of: key).flatMap { confirmedEntity(in: $0) }
  }

  /// Returns the entity in a slot as the server confirmed it; `nil` without a value.
  @inlinable @inline(__always) func confirmedEntity(in slot: Slot) -> VersionedEntity<Payload>? {
    guard let payload = entities.payload(of: slot) else { return nil }
    return VersionedEntity(
      key: entities.key(of: slot), version: entities[slot].version, payload: payload)
  }

  /// Returns the confirmed entity for a query; `nil` also if there is only a summary and the query shows
  /// more.
  @inlinable @inline(__always) func confirmedEntity(
    in slot: Slot, for query: Int32
  ) -> VersionedEntity<Payload>? {
    isTooLittle(slot, for: query) ? nil : confirmedEntity(in: slot)
  }
}

extension CacheStore {
  /// Returns whether a query's result has expired within a window, and is otherwise complete and not known to
  /// be outdated.
  @inlinable func isServedExpired(_ query: Int32, within window: Duration) -> Bool {
    let record = queries[query]
    return record.hasResult && record.hasExpired(at: now)
      && !record.hasExpired(at: now, forAtLeast: window.wholeNanoseconds)
      && record.missing == 0 && !isMarkedStale(query)
      // A cache without space for entities does not keep empty lists either.
      && (!record.members.isEmpty || composition.capacity.entities != 0)
  }

  /// Returns whether a resident entity has expired within a window, and is otherwise not known to be
  /// outdated.
  @inlinable func isServedExpired(
    _ slot: Slot, _ payload: Payload, within window: Duration
  ) -> Bool {
    hasExpired(slot, at: now) && !hasExpired(slot, at: now, forAtLeast: window.wholeNanoseconds)
      && !isStaleEntity(slot, payload: payload)
  }

  /// Returns whether a resident entity has been older than its time to live for at least `window`
  /// nanoseconds.
  @inlinable func hasExpired(_ slot: Slot, at now: Instant, forAtLeast window: Int64 = 0) -> Bool {
    expiries.hasExpired(writtenAt: entities[slot].writtenAt, at: now, forAtLeast: window)
  }

  /// Returns the result for callers that waited for a failed fetch.
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

/// Entities of which some queries show a summary, and others the whole.
///
/// An entity has one value at a time, of one version, a summary or the whole; two versions are never mixed.
/// In the same version the whole stays when a summary arrives; a newer summary replaces an older whole, and
/// queries that show the whole miss the row until the server answers. For a schema without summaries the
/// compiler removes all of this.
extension CacheStore {
  @inlinable @inline(__always) func isSummary(_ payload: Payload) -> Bool {
    if planted(.summaryTakenForWhole) { return false }
    return Schema.hasSummaries && schema.isSummary(payload)
  }

  /// Returns whether a query can show a value, or needs more of it.
  @inlinable @inline(__always) func canShow(isSummary: Bool, _ query: Int32) -> Bool {
    !Schema.hasSummaries || !isSummary || queries[query].plan.showsSummaries
  }

  /// Returns whether a slot has only a summary, and the query shows more.
  @inlinable @inline(__always) func isTooLittle(_ slot: Slot, for query: Int32) -> Bool {
    !canShow(isSummary: entities[slot].isSummary, query)
  }

  /// Returns whether a slot has a value that a query can show.
  @inlinable @inline(__always) func hasValue(_ slot: Slot, for query: Int32) -> Bool {
    entities.isResident(slot) && !isTooLittle(slot, for: query)
  }

  /// Returns whether the value in a slot, if any, is the whole.
  @inlinable @inline(__always) func isWhole(_ slot: Slot) -> Bool {
    !Schema.hasSummaries || !entities[slot].isSummary
  }

  /// Returns the value in a slot; `nil` if there is none, or only a summary.
  @inlinable @inline(__always) func wholePayload(of slot: Slot) -> Payload? {
    isWhole(slot) ? entities.payload(of: slot) : nil
  }

  /// Returns whether the target of a fetch needs more than summaries.
  @inlinable func needsWholes(_ target: FetchTarget) -> Bool {
    guard Schema.hasSummaries, case .query(let key) = target else { return true }
    let plan = queries.index(of: key).map { queries[$0].plan } ?? schema.plan(for: key)
    return !plan.showsSummaries
  }

  /// Returns whether a value completes the summary in a slot, in the same version, and is kept.
  @inlinable @inline(__always) func completes(_ payload: Payload, in slot: Slot) -> Bool {
    guard Schema.hasSummaries, entities.isResident(slot) else { return false }
    if planted(.wholeLostToItsSummary), isSummary(payload) { return true }
    return entities[slot].isSummary && !isSummary(payload) && admits(payload, in: slot)
  }

  /// Notes whether the new value of a slot, which replaces the current one, is a summary.
  @inlinable @inline(__always) mutating func noteLevel(of slot: Slot, _ isSummary: Bool) {
    if entities[slot].isSummary != isSummary { changeLevel(of: slot, isSummary) }
  }

  /// Marks rows missing, or present again, in the lists that show more than summaries.
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

  /// Requests another fetch, after a pause, of a list whose answer was older than the cached summaries of its
  /// rows.
  @inlinable @inline(never) mutating func askForWholes(of query: Int32) {
    guard queries[query].isObserved, queries[query].missing > 0,
      queries[query].members.contains(where: { isTooLittle($0, for: query) })
    else { return }
    backOff(query: query)
  }
}
