public import CacheModel

/// Which entities a typed query lists, in which order, and how many, as key paths.
///
/// A row is listed if it is in the query's scope and satisfies every condition. Rows are sorted by the first
/// criterion that distinguishes them, and then by key. Texts are compared by their Unicode scalars, as their
/// bytes in UTF-8, so `é` as one scalar and as two are two texts. The server must use the same rule: if it does
/// not, the cache notices the different order, and fetches again at every change.
public struct QueryRule<Query: CachedQuery>: Sendable {
  let scope: RowScope<Query>
  let conditions: [RowCondition<Query>]
  let order: [RowOrder<Query.Row>]
  let limit: (any WritableKeyPath<Query, Int> & Sendable)?
  let showsSummaries: Bool

  /// Creates a rule without a limit.
  ///
  /// - Parameters:
  ///   - scope: selects the queries to check for an event; it is a condition as well.
  ///   - conditions: further conditions for a row.
  ///   - order: the criteria of the order, the most important first.
  ///   - showsSummaries: whether the query shows only a summary of each row: ``QueryPlan/showsSummaries``.
  public init(
    scope: RowScope<Query> = .everything, where conditions: [RowCondition<Query>] = [],
    order: [RowOrder<Query.Row>], showsSummaries: Bool = false
  ) {
    self.scope = scope
    self.conditions = conditions
    self.order = order
    self.showsSummaries = showsSummaries
    limit = nil
  }

  /// Creates a rule with a limit: a query is answered from a longer one that is cached.
  ///
  /// - Parameters:
  ///   - scope: selects the queries to check for an event; it is a condition as well.
  ///   - conditions: further conditions for a row.
  ///   - order: the criteria of the order, the most important first.
  ///   - limit: the query's parameter with the maximum number of rows.
  ///   - showsSummaries: whether the query shows only a summary of each row: ``QueryPlan/showsSummaries``.
  public init(
    scope: RowScope<Query> = .everything, where conditions: [RowCondition<Query>] = [],
    order: [RowOrder<Query.Row>], limit: any WritableKeyPath<Query, Int> & Sendable,
    showsSummaries: Bool = false
  ) {
    self.showsSummaries = showsSummaries
    self.scope = scope
    self.conditions = conditions
    self.order = order
    self.limit = limit
  }

  func lists(_ row: Query.Row, in query: Query) -> Bool {
    scope.holds(row, query) && conditions.allSatisfy { $0.holds(row, query) }
  }

  func precedes(
    _ lhs: Query.Row, key lhsKey: EntityKey, _ rhs: Query.Row, key rhsKey: EntityKey
  ) -> Bool {
    for criterion in order {
      let isBefore = criterion.precedes(lhs, rhs)
      if isBefore || criterion.precedes(rhs, lhs) { return isBefore }
    }
    return lhsKey < rhsKey
  }
}

/// The scope of a typed query's rows: a change of a row affects the queries of the same scope.
public struct RowScope<Query: CachedQuery>: Sendable {
  public typealias Row = Query.Row

  /// Calls its last argument with each scope to which a row may belong.
  let forEachPlace: @Sendable (Row, (UniqueID) -> Void) -> Void
  let place: @Sendable (Query) -> UniqueID

  private static var nowhere: UniqueID { UniqueID(high: 0, low: 0) }

  func holds(_ row: Row, _ query: Query) -> Bool {
    let wanted = place(query)
    var isThere = false
    forEachPlace(row) { if $0 == wanted { isThere = true } }
    return isThere
  }

  /// One scope for all: every row of the type affects every query.
  public static var everything: RowScope {
    RowScope(forEachPlace: { _, body in body(nowhere) }, place: { _ in nowhere })
  }

  /// Scopes by a field: a row affects the queries whose parameter equals it, such as the messages of a
  /// conversation.
  public static func field(
    _ field: any KeyPath<Row, UniqueID> & Sendable,
    _ parameter: any KeyPath<Query, UniqueID> & Sendable
  ) -> RowScope {
    RowScope(
      forEachPlace: { row, body in body(row[keyPath: field]) },
      place: { query in query[keyPath: parameter] })
  }

  /// Scopes by an optional field; a row without it affects none.
  public static func field(
    _ field: any KeyPath<Row, UniqueID?> & Sendable,
    _ parameter: any KeyPath<Query, UniqueID> & Sendable
  ) -> RowScope {
    RowScope(
      forEachPlace: { row, body in if let id = row[keyPath: field] { body(id) } },
      place: { query in query[keyPath: parameter] })
  }

  /// Scopes by several fields: a row affects the queries whose parameter is among them, such as the photos
  /// with a tag.
  public static func fields(
    _ fields: any KeyPath<Row, [UniqueID]> & Sendable,
    _ parameter: any KeyPath<Query, UniqueID> & Sendable
  ) -> RowScope {
    RowScope(
      forEachPlace: { row, body in for id in row[keyPath: fields] { body(id) } },
      place: { query in query[keyPath: parameter] })
  }
}

/// A condition for the rows of a typed query.
public struct RowCondition<Query: CachedQuery>: Sendable {
  public typealias Row = Query.Row

  let holds: @Sendable (Row, Query) -> Bool

  /// Requires that a field equals a constant.
  public static func equal<Value: Equatable & Sendable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable, to constant: Value
  ) -> RowCondition {
    let isEqual = SameBytes.equality(of: Value.self)
    return RowCondition { row, _ in isEqual(row[keyPath: field], constant) }
  }

  /// Requires that a field equals a parameter of the query.
  public static func equal<Value: Equatable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable,
    _ parameter: any KeyPath<Query, Value> & Sendable
  ) -> RowCondition {
    let isEqual = SameBytes.equality(of: Value.self)
    return RowCondition { row, query in
      isEqual(row[keyPath: field], query[keyPath: parameter])
    }
  }

  /// Requires that a field equals a parameter of the query, unless the parameter is `nil`: an optional
  /// filter.
  public static func equal<Value: Equatable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable,
    ifGiven parameter: any KeyPath<Query, Value?> & Sendable
  ) -> RowCondition {
    let isEqual = SameBytes.equality(of: Value.self)
    return RowCondition { row, query in
      query[keyPath: parameter].map { isEqual($0, row[keyPath: field]) } ?? true
    }
  }

  /// Requires that a parameter of the query is among the row's fields.
  public static func contains<Value: Equatable & SendableMetatype>(
    _ fields: any KeyPath<Row, [Value]> & Sendable,
    _ parameter: any KeyPath<Query, Value> & Sendable
  ) -> RowCondition {
    let isEqual = SameBytes.equality(of: Value.self)
    return RowCondition { row, query in
      let wanted = query[keyPath: parameter]
      return row[keyPath: fields].contains { isEqual($0, wanted) }
    }
  }

  /// Requires that a text begins with a parameter of the query; case-sensitive.
  public static func prefix(
    _ field: any KeyPath<Row, String> & Sendable,
    _ parameter: any KeyPath<Query, String> & Sendable
  ) -> RowCondition {
    RowCondition { row, query in
      row[keyPath: field].utf8.starts(with: query[keyPath: parameter].utf8)
    }
  }

  /// Requires any other property of row and query.
  public static func satisfies(_ holds: @escaping @Sendable (Row, Query) -> Bool) -> RowCondition {
    RowCondition(holds: holds)
  }
}

/// A criterion of the order of rows.
public struct RowOrder<Row: Sendable>: Sendable {
  let precedes: @Sendable (Row, Row) -> Bool

  /// Sorts in ascending order.
  public static func ascending<Value: Comparable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable
  ) -> RowOrder {
    let precedes = SameBytes.order(of: Value.self)
    return RowOrder { precedes($0[keyPath: field], $1[keyPath: field]) }
  }

  /// Sorts in descending order.
  public static func descending<Value: Comparable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable
  ) -> RowOrder {
    let precedes = SameBytes.order(of: Value.self)
    return RowOrder { precedes($1[keyPath: field], $0[keyPath: field]) }
  }
}

/// Comparing values as a server does: texts by their bytes in UTF-8, where Swift compares characters.
private enum SameBytes {
  static func equality<Value: Equatable & SendableMetatype>(
    of type: Value.Type
  ) -> @Sendable (Value, Value) -> Bool {
    guard type is String.Type || type is Optional<String>.Type else { return { $0 == $1 } }
    return { one, other in
      guard let one = one as? String, let other = other as? String else { return one == other }
      return one.utf8.elementsEqual(other.utf8)
    }
  }

  static func order<Value: Comparable & SendableMetatype>(
    of type: Value.Type
  ) -> @Sendable (Value, Value) -> Bool {
    guard type is String.Type else { return { $0 < $1 } }
    return { one, other in
      guard let one = one as? String, let other = other as? String else { return one < other }
      return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
  }
}
