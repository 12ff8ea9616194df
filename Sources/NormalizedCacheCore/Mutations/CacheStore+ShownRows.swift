public import CacheModel
public import EvictionPolicies

/// What the overlay must know of a list to find places in it.
@usableFromInline struct OverlaidList<Predicate: Sendable, Payload: Sendable> {
  @usableFromInline var plan: QueryPlan<Predicate>
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// Whether the confirmed rows stand in the schema's order.
  @usableFromInline var isSorted: Bool
  /// Whether the server has rows beyond the last confirmed one: only up to it the list is known.
  @usableFromInline var hasMore: Bool
  /// Where pending rows stood when rows beside them lost their values.
  @usableFromInline var places: ShownPlaces<Payload>?
  /// The confirmed rows' places; empty where not asked for.
  @usableFromInline var indexOfRow: [EntityKey: Int] = [:]

  @inlinable init(
    plan: QueryPlan<Predicate>, library: Int16, isSorted: Bool, hasMore: Bool,
    places: ShownPlaces<Payload>? = nil
  ) {
    self.plan = plan
    self.library = library
    self.isSorted = isSorted
    self.hasMore = hasMore
    self.places = places
  }

  /// Where those are looked up that may enter it.
  @inlinable var scope: LibraryScope { LibraryScope(library: library, scope: plan.scope) }
}

/// Lists with pending edits on top.
extension CacheStore {
  @usableFromInline typealias Row = ShownRow<Payload>
  @usableFromInline typealias List = OverlaidList<Schema.Predicate, Payload>

  @inlinable func confirmedRow(_ slot: Slot, for query: Int32) -> Row {
    ShownRow(
      key: entities.key(of: slot), version: entities[slot].version,
      payload: isTooLittle(slot, for: query) ? nil : entities.payload(of: slot))
  }

  /// The rows that a query shows.
  ///
  /// O(rows), and O(log rows) for each entity with pending edits that is among them or may enter: edits
  /// elsewhere cost nothing. A row without a value costs those that stand beside it up to O(rows) each.
  @inlinable func shownRows(of query: Int32) -> [Row] {
    let rows = queries[query].members.map { confirmedRow($0, for: query) }
    return pending.showsNothing ? rows : overlaid(rows, in: list(of: query, rows))
  }

  /// What the overlay must know of a cached list.
  @inlinable func list(of query: Int32, _ rows: [Row]) -> List {
    let record = queries[query]
    var list = OverlaidList(
      plan: record.plan, library: record.library, isSorted: record.isSorted,
      hasMore: record.hasMore, places: shown.places[query])
    if list.places != nil {
      for (index, row) in rows.enumerated() { list.indexOfRow[row.key] = index }
    }
    return list
  }

  /// Confirmed rows with the pending edits on top: what is gone or belongs no longer is left out,
  /// what changed its place stands there, what enters is added.
  @inlinable func overlaid(_ confirmed: [Row], in list: List) -> [Row] {
    var kept: [Row?] = []
    kept.reserveCapacity(confirmed.count)
    var listed: Set<EntityKey> = []
    var placed: [PlacedRow] = []
    for row in confirmed {
      guard let entity = pending.edited[row.key] else {
        kept.append(row)
        continue
      }
      listed.insert(row.key)
      switch fate(of: row, showing: replay(entity.edits, on: row.payload), in: list) {
      case .leaves: kept.append(nil)
      case .stays(let row): kept.append(row)
      case .moves(let row):
        if let index = index(of: row, among: confirmed, in: list) {
          placed.append(PlacedRow(index: index, arrival: placed.count, row: row))
          kept.append(nil)
        } else {
          kept.append(row)
        }
      }
    }
    for entity in pending.edited.inOrder(in: list.scope) where !listed.contains(entity.key) {
      guard let row = enteringRow(entity, list),
        let index = index(of: row, among: confirmed, in: list)
      else { continue }
      placed.append(PlacedRow(index: index, arrival: placed.count, row: row))
    }
    var rows = placed.isEmpty ? kept.compactMap(\.self) : woven(placed, into: kept, of: list)
    if let limit = list.plan.limit, rows.count > limit { rows.removeLast(rows.count - limit) }
    return rows
  }

  /// Whether there are rows beyond those that a query shows, at the server or pushed there by pending
  /// edits; `false` where it has no result.
  ///
  /// O(1); O(rows) where pending edits may have pushed some there.
  @inlinable package func showsMore(_ key: QueryKey) -> Bool {
    guard let query = queries.index(of: key), queries[query].hasResult else { return false }
    if queries[query].hasMore { return true }
    guard !pending.showsNothing, let limit = queries[query].plan.limit,
      mayCutOff(query, in: listWithoutPlaces(of: query), adding: 0)
    else { return false }
    let rows = queries[query].members.map { confirmedRow($0, for: query) }
    var list = list(of: query, rows)
    list.plan.limit = nil
    return overlaid(rows, in: list).count > limit
  }

  @usableFromInline enum RowFate {
    case leaves
    case stays(Row)
    /// It changes its place, where the new one is known.
    case moves(Row)
  }

  /// What becomes of a confirmed row whose entity has pending edits.
  @inlinable func fate(of row: Row, showing value: ShownValue<Payload>, in list: List) -> RowFate {
    switch value {
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
        // Where only the server's list tells the place of what was confirmed, it stays there.
        guard list.isSorted, let confirmed = row.payload,
          !isSamePlace(confirmed, payload, of: row.key, in: list)
        else { return .stays(shown) }
        return .moves(shown)
      }
    }
  }

  /// The row of an entity that the list does not confirm, if it belongs.
  @inlinable func enteringRow(
    _ edited: EntityEdits<Payload, Schema.Change>, _ list: List
  ) -> Row? {
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
    let row = ShownRow(key: edited.key, version: version, payload: payload)
    if list.isSorted { return row }
    // The server lists by an order of its own, and left it out as it was.
    let wasLeftOut = confirmed.map { schema.belongs($0, key: edited.key, in: predicate) == .member }
    return wasLeftOut ?? false ? nil : row
  }

  @inlinable func isSamePlace(
    _ former: Payload, _ payload: Payload, of key: EntityKey, in list: List
  ) -> Bool {
    let predicate = list.plan.predicate
    return !schema.precedes(former, key: key, payload, key: key, in: predicate)
      && !schema.precedes(payload, key: key, former, key: key, in: predicate)
  }

  /// A row that stands among the confirmed rows, and is none of them.
  @usableFromInline struct PlacedRow {
    /// The confirmed row before which it stands.
    @usableFromInline var index: Int
    /// In which order it was placed.
    @usableFromInline var arrival: Int
    @usableFromInline var row: Row

    @inlinable init(index: Int, arrival: Int, row: Row) {
      self.index = index
      self.arrival = arrival
      self.row = row
    }
  }

  /// Confirmed rows with others between them; those between the same two in the schema's order, at the
  /// end of a list in the server's own order as they came.
  @inlinable func woven(_ placed: [PlacedRow], into kept: [Row?], of list: List) -> [Row] {
    let ordered = placed.sorted { one, other in
      if one.index != other.index { return one.index < other.index }
      guard list.isSorted, let payload = one.row.payload, let next = other.row.payload else {
        return one.arrival < other.arrival
      }
      let predicate = list.plan.predicate
      return schema.precedes(
        payload, key: one.row.key, next, key: other.row.key, in: predicate)
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
