public import CacheModel
public import EvictionPolicies

/// What the overlay must know of a list to find places in it.
@usableFromInline struct OverlaidList<Predicate: Sendable, Payload: Sendable> {
  @usableFromInline var plan: QueryPlan<Predicate>
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// Whether the confirmed rows stand in the schema's order.
  @usableFromInline var isSorted: Bool
  /// Whether the server has rows beyond the last confirmed one.
  @usableFromInline var hasMore: Bool
  /// The last confirmed row: up to it the list is known.
  @usableFromInline var last: ShownRow<Payload>?
  /// Whether every confirmed row has a value.
  @usableFromInline var isComplete: Bool

  @inlinable init(
    _ rows: [ShownRow<Payload>], plan: QueryPlan<Predicate>, library: Int16, isSorted: Bool,
    hasMore: Bool
  ) {
    self.plan = plan
    self.library = library
    self.isSorted = isSorted
    self.hasMore = hasMore
    last = rows.last
    isComplete = rows.allSatisfy { $0.payload != nil }
  }
}

/// Lists with pending edits on top.
extension CacheStore {
  @usableFromInline typealias Row = ShownRow<Payload>
  @usableFromInline typealias List = OverlaidList<Schema.Predicate, Payload>

  @inlinable func confirmedRow(_ slot: Slot) -> Row {
    ShownRow(
      key: entities.key(of: slot), version: entities[slot].version,
      payload: entities.payload(of: slot))
  }

  /// The rows that a query shows.
  ///
  /// O(rows), and where mutations are pending O(their edits · rows) at worst.
  @inlinable func shownRows(of query: Int32) -> [Row] {
    let rows = queries[query].members.map { confirmedRow($0) }
    return pending.showsNothing ? rows : overlaid(rows, of: query)
  }

  @inlinable func overlaid(_ rows: [Row], of query: Int32) -> [Row] {
    let record = queries[query]
    return overlaid(
      rows,
      in: OverlaidList(
        rows, plan: record.plan, library: record.library, isSorted: record.isSorted,
        hasMore: record.hasMore))
  }

  /// Confirmed rows with the pending edits on top: what is gone or belongs no longer is left out,
  /// what changed its place stands there, what enters is added.
  @inlinable func overlaid(_ confirmed: [Row], in list: List) -> [Row] {
    let edited = pending.edited.inOrder
    var listed: Set<EntityKey> = []
    var rows: [Row] = []
    rows.reserveCapacity(confirmed.count + edited.count)
    var moved: [Row] = []
    for row in confirmed {
      guard let entity = pending.edited[row.key] else {
        rows.append(row)
        continue
      }
      listed.insert(row.key)
      switch fate(of: row, showing: replay(entity.edits, on: row.payload), in: list) {
      case .leaves: break
      case .stays(let row): rows.append(row)
      case .moves(let row): moved.append(row)
      }
    }
    for row in moved { insert(row, into: &rows, of: list) }
    for entity in edited where entity.library == list.library && !listed.contains(entity.key) {
      if let row = enteringRow(entity, list) { insert(row, into: &rows, of: list) }
    }
    if let limit = list.plan.limit, rows.count > limit { rows.removeLast(rows.count - limit) }
    return rows
  }

  @usableFromInline enum RowFate {
    case leaves
    case stays(Row)
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
        guard list.isSorted, list.isComplete, !isSamePlace(row, payload, in: list),
          isKnownPlace(shown, in: list)
        else { return .stays(shown) }
        shown.anchor = payload
        return .moves(shown)
      }
    }
  }

  /// The row of an entity that the list does not confirm, if it enters.
  @inlinable func enteringRow(
    _ edited: EntityEdits<Payload, Schema.Change>, _ list: List
  ) -> Row? {
    let confirmed = confirmedPayload(of: edited.key)
    let predicate = list.plan.predicate
    guard composition.membership == .patch,
      case .value(let payload) = replay(edited.edits, on: confirmed),
      schema.belongs(payload, key: edited.key, in: predicate) == .member
    else { return nil }
    let slot = confirmed == nil ? nil : entities.slot(of: edited.key)
    let version = slot.map { entities[$0].version } ?? .none
    let row = ShownRow(key: edited.key, version: version, payload: payload)
    if list.isSorted { return isKnownPlace(row, in: list) ? row : nil }
    // The server lists by an order of its own, and left it out as it was.
    let wasLeftOut = confirmed.map { schema.belongs($0, key: edited.key, in: predicate) == .member }
    return wasLeftOut ?? false ? nil : row
  }

  @inlinable func isSamePlace(_ row: Row, _ payload: Payload, in list: List) -> Bool {
    guard let former = row.payload else { return false }
    let predicate = list.plan.predicate
    return !schema.precedes(former, key: row.key, payload, key: row.key, in: predicate)
      && !schema.precedes(payload, key: row.key, former, key: row.key, in: predicate)
  }

  /// Whether a row stands before the end of what is known of a list.
  @inlinable func isKnownPlace(_ row: Row, in list: List) -> Bool {
    guard list.hasMore else { return true }
    guard let last = list.last?.payload, let payload = row.payload, let key = list.last?.key
    else { return false }
    return schema.precedes(payload, key: row.key, last, key: key, in: list.plan.predicate)
  }

  /// Puts a row at its place, by bisection; at the end of a list in the server's own order; one that
  /// enters not at all where a row that decides its place has no value.
  @inlinable func insert(_ row: Row, into rows: inout [Row], of list: List) {
    guard list.isSorted, let payload = row.payload else {
      rows.append(row)
      return
    }
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      guard let other = rows[middle].anchor else { return }
      if schema.precedes(
        other, key: rows[middle].key, payload, key: row.key, in: list.plan.predicate)
      {
        low = middle + 1
      } else {
        high = middle
      }
    }
    rows.insert(row, at: low)
  }
}
