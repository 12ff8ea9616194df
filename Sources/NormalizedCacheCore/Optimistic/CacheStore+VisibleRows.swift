public import CacheModel
public import EvictionPolicies

/// The value of an entity as a user sees it: the confirmed value with the pending edits on top.
@usableFromInline enum VisibleValue<Payload: Sendable>: Sendable {
  /// The cache has no value.
  case missing
  /// The entity is deleted, perhaps not yet by the server.
  case gone
  case value(Payload)
}

@usableFromInline struct VisibleRow<Payload: Sendable>: Sendable {
  @usableFromInline var key: EntityKey
  /// The version of the confirmed value; none for an entity that so far only this client has created.
  @usableFromInline var version: Version
  @usableFromInline var payload: Payload?

  @inlinable init(key: EntityKey, version: Version, payload: Payload?) {
    self.key = key
    self.version = version
    self.payload = payload
  }

  @inlinable var entity: VersionedEntity<Payload>? {
    payload.map { VersionedEntity(key: key, version: version, payload: $0) }
  }
}

/// The state as a user sees it, computed on demand from the confirmed state and the pending edits.
///
/// The confirmed rows are never changed, so a rollback restores every position in every kind of list,
/// whatever the order of commits and rollbacks. A window with more rows behind it is known up to its last
/// confirmed row: rows that belong after that do not enter, and a member that would move there leaves. For
/// rows without a value see `CacheStore+PinnedPositions.swift`.
extension CacheStore {
  /// Applies an entity's pending edits to its value, in order.
  ///
  /// A creation has an effect only until the confirmed state has the entity; an update has none without a
  /// value.
  @inlinable func replay(
    _ edits: [ClientMutation<Payload, Schema.Change>.Edit], on confirmed: Payload?
  ) -> VisibleValue<Payload> {
    let edits = planted(.overlayOutOfOrder) ? edits.reversed() : edits
    var shown = confirmed.map { VisibleValue.value($0) } ?? .missing
    for edit in edits {
      // One by one: a pair would be a copy of both.
      switch edit {
      case .create(_, let payload):
        if case .value = shown { break }
        shown = .value(payload)
      case .update(_, let change):
        guard case .value(let payload) = shown else { break }
        shown = .value(schema.applying(change, to: payload))
      case .delete: shown = .gone
      }
    }
    return shown
  }

  @inlinable func confirmedPayload(of key: EntityKey) -> Payload? {
    entities.slot(of: key).flatMap { entities.payload(of: $0) }
  }

  /// Returns one entity as a user sees it; O(pending edits) if it has any.
  @inlinable func visibleValue(of key: EntityKey) -> VisibleValue<Payload> {
    replay(optimistic.edits(of: key), on: confirmedPayload(of: key))
  }

  /// Returns an entity as a user sees it, based on its value here or, if it is not resident, in an answer.
  ///
  /// - Returns: the entity; `nil` if it has no visible value.
  @inlinable func visibleEntity(
    _ key: EntityKey, over answered: VersionedEntity<Payload>? = nil, needsWhole: Bool = false
  ) -> VersionedEntity<Payload>? {
    let slot = entities.slot(of: key)
    let resident = slot.flatMap { needsWhole ? wholePayload(of: $0) : entities.payload(of: $0) }
    guard
      case .value(let payload) = replay(
        optimistic.edits(of: key), on: resident ?? answered?.payload)
    else { return nil }
    let version = resident == nil ? answered?.version : slot.map { entities[$0].version }
    return VersionedEntity(key: key, version: version ?? .none, payload: payload)
  }

  /// Reads an entity that has pending edits.
  ///
  /// A missing or partial confirmed value is fetched, unless the edits alone determine the visible value.
  @inlinable mutating func readEdited(_ key: EntityKey, library: LibraryID) -> EntityRead<Payload> {
    let shown = visibleEntity(key, needsWhole: true)
    if entities.slot(of: key).flatMap({ wholePayload(of: $0) }) == nil {
      if let shown { return EntityRead(outcome: .hit, entity: shown) }
      if case .gone = visibleValue(of: key) { return EntityRead(outcome: .hit) }
    }
    var read = readConfirmed(key, library: library)
    read.entity = shown
    return read
  }

  /// Returns the rows for waiting callers while mutations are pending: the confirmed rows, or the answer's if
  /// the cache is too small for them, with the pending edits on top.
  @inlinable func visibleRows(
    of target: FetchTarget, answeredBy response: FetchResponse<Payload>
  ) -> [VersionedEntity<Payload>] {
    let confirmed = confirmedRows(of: target, answeredBy: response)
    guard case .query(let key) = target else {
      return confirmed.compactMap { visibleEntity($0.key, over: $0, needsWhole: true) }
    }
    let rows = confirmed.map { Row(key: $0.key, version: $0.version, payload: $0.payload) }
    let query = queries.index(of: key).flatMap { queries[$0].hasResult ? $0 : nil }
    let plan = schema.plan(for: key)
    let list = List(
      plan: plan, library: libraries.knownIndex(of: key.library) ?? -1,
      isSorted: query.map { queries[$0].isSorted } ?? isSorted(confirmed, by: plan.predicate),
      hasMore: query.map { queries[$0].hasMore } ?? response.hasMore)
    return applyingEdits(to: rows, in: list).compactMap(\.entity)
  }
}

/// A list to which pending edits are applied, with what determines their positions.
@usableFromInline struct EditedList<Predicate: Sendable, Payload: Sendable> {
  @usableFromInline var plan: QueryPlan<Predicate>
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// Whether the confirmed rows are in the schema's order.
  @usableFromInline var isSorted: Bool
  /// Whether the server has rows after the last confirmed one; if so, the list is known only up to it.
  @usableFromInline var hasMore: Bool
  /// The positions of pending rows when rows next to them lost their values.
  @usableFromInline var positions: PinnedPositions<Payload>?
  /// The indices of confirmed rows; empty if not needed.
  @usableFromInline var indexOfRow: [EntityKey: Int] = [:]

  @inlinable init(plan: QueryPlan<Predicate>, library: Int16, isSorted: Bool, hasMore: Bool) {
    self.plan = plan
    self.library = library
    self.isSorted = isSorted
    self.hasMore = hasMore
  }

  /// The scope in which entities that may enter are found.
  @inlinable var scope: LibraryScope { LibraryScope(library: library, scope: plan.scope) }
}

/// Lists with pending edits on top.
extension CacheStore {
  @usableFromInline typealias Row = VisibleRow<Payload>
  @usableFromInline typealias List = EditedList<Schema.Predicate, Payload>

  @inlinable func confirmedRow(_ slot: Slot, for query: Int32) -> Row {
    VisibleRow(
      key: entities.key(of: slot), version: entities[slot].version,
      payload: isTooLittle(slot, for: query) ? nil : entities.payload(of: slot))
  }

  /// Returns the visible rows of a query.
  ///
  /// O(rows), and O(log rows) for each entity with pending edits that is among them or may enter: edits
  /// elsewhere cost nothing. A row without a value costs each pending row next to it up to O(rows).
  @inlinable func visibleRows(of query: Int32) -> [Row] {
    let rows = queries[query].members.map { confirmedRow($0, for: query) }
    return optimistic.showsConfirmed ? rows : applyingEdits(to: rows, in: list(of: query, rows))
  }

  /// Returns a cached list, with its recorded positions if its rows are given.
  @inlinable func list(of query: Int32, _ rows: [Row]? = nil) -> List {
    let record = queries[query]
    var list = List(
      plan: record.plan, library: record.library, isSorted: record.isSorted,
      hasMore: record.hasMore)
    guard let rows, let positions = optimistic.visible.positions[query] else { return list }
    list.positions = positions
    for (index, row) in rows.enumerated() { list.indexOfRow[row.key] = index }
    return list
  }

  /// Applies pending edits to confirmed rows: rows that are deleted or no longer belong are left out, moved
  /// rows change their position, entering rows are added.
  @inlinable func applyingEdits(to confirmed: [Row], in list: List) -> [Row] {
    let (kept, moved) = separated(confirmed, in: list)
    let positioned = moved.filter { $0.index != nil }
    var rows =
      positioned.isEmpty ? kept.compactMap(\.self) : woven(positioned, into: kept, of: list)
    if let limit = list.plan.limit, rows.count > limit { rows.removeLast(rows.count - limit) }
    return rows
  }

  /// Separates rows that keep their confirmed position from rows whose position depends on pending edits:
  /// moved rows, then entering rows in the order of their first edits.
  ///
  /// - Returns: a row or `nil` for each confirmed one, and the others, without an index if unknown.
  @inlinable func separated(
    _ confirmed: [Row], in list: List
  ) -> (kept: [Row?], positioned: [PositionedRow]) {
    var kept: [Row?] = []
    kept.reserveCapacity(confirmed.count)
    var listed: Set<EntityKey> = []
    var positioned: [PositionedRow] = []
    func position(_ row: Row) {
      let index = index(of: row, among: confirmed, in: list)
      positioned.append(PositionedRow(index: index, arrival: positioned.count, row: row))
    }
    for row in confirmed {
      guard let edited = optimistic.edits[row.key] else {
        kept.append(row)
        continue
      }
      listed.insert(row.key)
      switch fate(of: row, under: edited, in: list) {
      case .leaves: kept.append(nil)
      case .stays(let row): kept.append(row)
      case .moves(let row):
        kept.append(nil)
        position(row)
      }
    }
    for edited in optimistic.edits.inOrder(in: list.scope) where !listed.contains(edited.key) {
      if let row = enteringRow(edited, list) { position(row) }
    }
    return (kept, positioned)
  }

  /// Returns whether there are rows after the visible ones, at the server or displaced by pending edits;
  /// `false` without a result.
  ///
  /// O(1); O(rows) if pending edits may have displaced some.
  @inlinable package func showsMore(_ key: QueryKey) -> Bool {
    guard let query = queries.index(of: key), queries[query].hasResult else { return false }
    if queries[query].hasMore { return true }
    guard !optimistic.showsConfirmed, let limit = queries[query].plan.limit,
      mayCutOff(query, in: list(of: query), adding: 0)
    else { return false }
    let rows = queries[query].members.map { confirmedRow($0, for: query) }
    var list = list(of: query, rows)
    list.plan.limit = nil
    return applyingEdits(to: rows, in: list).count > limit
  }

  @usableFromInline enum RowFate {
    case leaves
    case stays(Row)
    /// Its position changes; it leaves if the new position is unknown.
    case moves(Row)
  }

  /// Returns the effect of pending edits on a confirmed row.
  @inlinable func fate(
    of row: Row, under edited: EntityEdits<Payload, Schema.Change>, in list: List
  ) -> RowFate {
    switch replay(edited.edits, on: row.payload) {
    case .missing: return .stays(row)
    case .gone: return .leaves
    case .value(let payload):
      var shown = row
      shown.payload = payload
      guard composition.membership == .patch else { return .stays(shown) }
      switch schema.belongs(payload, key: row.key, in: list.plan.predicate) {
      case .notMember: return .leaves
      case .unknown: return .stays(shown)
      case .member:
        // If only the server's list determines the position of the confirmed row, it stays there.
        guard list.isSorted, let confirmed = row.payload,
          !isSamePosition(confirmed, payload, of: row.key, in: list)
        else { return .stays(shown) }
        return .moves(shown)
      }
    }
  }

  /// Returns the row of an entity that the list does not confirm, if it belongs.
  @inlinable func enteringRow(_ edited: EntityEdits<Payload, Schema.Change>, _ list: List) -> Row? {
    let confirmed = entities.slot(of: edited.key).flatMap {
      list.plan.showsSummaries ? entities.payload(of: $0) : wholePayload(of: $0)
    }
    let predicate = list.plan.predicate
    guard composition.membership == .patch,
      case .value(let payload) = replay(edited.edits, on: confirmed),
      schema.belongs(payload, key: edited.key, in: predicate) == .member
    else { return nil }
    let slot = confirmed == nil ? nil : entities.slot(of: edited.key)
    let version = slot.map { entities[$0].version } ?? .none
    let row = VisibleRow(key: edited.key, version: version, payload: payload)
    if list.isSorted { return row }
    // The server has its own order, and left the unedited entity out.
    let wasLeftOut = confirmed.map { schema.belongs($0, key: edited.key, in: predicate) == .member }
    return wasLeftOut ?? false ? nil : row
  }

  @inlinable func isSamePosition(
    _ former: Payload, _ payload: Payload, of key: EntityKey, in list: List
  ) -> Bool {
    let predicate = list.plan.predicate
    return !schema.precedes(former, key: key, payload, key: key, in: predicate)
      && !schema.precedes(payload, key: key, former, key: key, in: predicate)
  }

  /// A row between confirmed rows that is not one of them.
  @usableFromInline struct PositionedRow {
    /// The index of the confirmed row after it; `nil` if unknown.
    @usableFromInline var index: Int?
    /// The order in which it was placed.
    @usableFromInline var arrival: Int
    @usableFromInline var row: Row

    @inlinable init(index: Int?, arrival: Int, row: Row) {
      self.index = index
      self.arrival = arrival
      self.row = row
    }
  }

  /// Merges placed rows into confirmed ones; several between the same two are in the schema's order, or in
  /// order of arrival at the end of a list in the server's own order.
  @inlinable func woven(_ placed: [PositionedRow], into kept: [Row?], of list: List) -> [Row] {
    let ordered = placed.sorted { one, other in
      if let index = one.index, let next = other.index, index != next { return index < next }
      guard list.isSorted, let payload = one.row.payload, let next = other.row.payload else {
        return one.arrival < other.arrival
      }
      let predicate = list.plan.predicate
      return schema.precedes(payload, key: one.row.key, next, key: other.row.key, in: predicate)
    }
    var rows: [Row] = []
    rows.reserveCapacity(kept.count + ordered.count)
    var next = ordered.startIndex
    for index in 0...kept.count {
      while next < ordered.endIndex, ordered[next].index == index {
        rows.append(ordered[next].row)
        next += 1
      }
      if index < kept.count, let row = kept[index] { rows.append(row) }
    }
    return rows
  }
}
