public import CacheModel

/// Where an answer of the server contradicts what a schema says that a query lists.
public enum RuleMismatch: Hashable, Sendable, CustomStringConvertible {
  /// The server lists what the schema says does not belong.
  case foreignRow(EntityKey, row: Int)
  /// The schema does not name the query's scope for a row, so no change of it would reach the query.
  case outOfScope(EntityKey, row: Int)
  /// The schema says that the row comes before the one that the server lists above it.
  case outOfOrder(EntityKey, row: Int)
  /// The schema says that an entity is listed, and the server leaves it out.
  case missingRow(EntityKey)
  /// The server lists more rows than the query's limit.
  case tooManyRows(Int, limit: Int)

  public var description: String {
    switch self {
    case .foreignRow(let key, let row):
      "row \(row) (\(key.id)) does not belong by the schema; compare `where` with the server's"
    case .outOfScope(let key, let row):
      "row \(row) (\(key.id)) is outside the query's scope; compare `scope` with the server's"
    case .outOfOrder(let key, let row):
      "row \(row) (\(key.id)) comes before the row above it by the schema; compare `order` with the "
        + "server's, and what decides where it ties"
    case .missingRow(let key):
      "\(key.id) belongs by the schema and is not listed; compare `where` with the server's"
    case .tooManyRows(let rows, let limit):
      "\(rows) rows are more than the limit of \(limit); compare `limit` with the server's"
    }
  }
}

extension CacheSchema {
  /// What an answer contradicts: for a test that asks the real server.
  ///
  /// A cache notices rows in another order and asks again at each change; rows that the server filters
  /// otherwise it cannot notice. O(rows + others).
  ///
  /// ```swift
  /// let found = schema.mismatches(in: response, to: key, among: everything)
  /// ```
  ///
  /// - Parameters:
  ///   - response: the server's answer.
  ///   - query: what was asked.
  ///   - others: entities that the server has, as far as the test knows them; each that belongs, and would
  ///     stand above the last row, must be listed.
  /// - Returns: what differs, in the order of the rows; empty where nothing does.
  public func mismatches(
    in response: FetchResponse<Payload>, to query: QueryKey,
    among others: [VersionedEntity<Payload>] = []
  ) -> [RuleMismatch] {
    let plan = plan(for: query)
    var found: [RuleMismatch] = []
    for (index, row) in response.entities.enumerated() {
      if belongs(row.payload, key: row.key, in: plan.predicate) == .notMember {
        found.append(.foreignRow(row.key, row: index))
      } else {
        var isInScope = false
        forEachScope(of: row.payload, key: row.key) { if $0 == plan.scope { isInScope = true } }
        if !isInScope { found.append(.outOfScope(row.key, row: index)) }
      }
      if index > 0, comesFirst(row, before: response.entities[index - 1], plan.predicate) {
        found.append(.outOfOrder(row.key, row: index))
      }
    }
    let listed = Set(response.entities.map(\.key))
    let end = response.hasMore ? response.entities.last : nil
    for other in others where !listed.contains(other.key) {
      guard belongs(other.payload, key: other.key, in: plan.predicate) == .member else { continue }
      if let end, !comesFirst(other, before: end, plan.predicate) { continue }
      found.append(.missingRow(other.key))
    }
    if let limit = plan.limit, response.entities.count > limit {
      found.append(.tooManyRows(response.entities.count, limit: limit))
    }
    return found
  }

  private func comesFirst(
    _ entity: VersionedEntity<Payload>, before other: VersionedEntity<Payload>,
    _ predicate: Predicate
  ) -> Bool {
    precedes(
      entity.payload, key: entity.key, other.payload, key: other.key, in: predicate)
  }
}
