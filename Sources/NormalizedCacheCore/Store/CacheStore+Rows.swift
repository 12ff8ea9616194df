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
    guard pending.showsNothing else { return shownRows(of: query).map(\.entity) }
    return queries[query].members.map { confirmedEntity(in: $0, for: query) }
  }

  /// The same without those that have no value, and how many these are; O(rows).
  @inlinable package func residentRows(
    of key: QueryKey
  ) -> (rows: [VersionedEntity<Payload>], missing: Int)? {
    guard let query = queries.index(of: key), queries[query].hasResult else { return nil }
    guard pending.showsNothing else {
      let shown = shownRows(of: query)
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
    guard pending.showsNothing else {
      for row in shownRows(of: query) {
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
    guard pending.showsNothing else { return shownRows(of: target, answeredBy: response) }
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
    return pending.hasEdits(of: key) ? shownEntity(key) : confirmedEntity(key)
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
