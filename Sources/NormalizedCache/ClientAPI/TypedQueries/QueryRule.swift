public import CacheModel

/// Which entities a typed query lists, in which order, and how many: a `belongs` and a `precedes` in the
/// words of key paths.
///
/// A row is listed where it stands in the query's scope and every condition holds. Rows stand in the order
/// of the first criterion that distinguishes them, and then of their keys. The server must list by the same
/// rule: where it does not, the cache notices an order that differs, and asks again at every change.
public struct QueryRule<Query: CachedQuery>: Sendable {
  let scope: RowScope<Query>
  let conditions: [RowCondition<Query>]
  let order: [RowOrder<Query.Row>]
  let limit: (any WritableKeyPath<Query, Int> & Sendable)?
  let showsSummaries: Bool

  /// Makes a rule without a limit.
  ///
  /// - Parameters:
  ///   - scope: decides for an event which of these queries to look at; it is a condition as well.
  ///   - conditions: what else a row must satisfy.
  ///   - order: the criteria of the order, the first one first.
  ///   - showsSummaries: whether a summary of each row is all that it shows: ``QueryPlan/showsSummaries``.
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

  /// Makes a rule whose queries list the first rows only; one is answered from a longer one that is cached.
  ///
  /// - Parameters:
  ///   - scope: decides for an event which of these queries to look at; it is a condition as well.
  ///   - conditions: what else a row must satisfy.
  ///   - order: the criteria of the order, the first one first.
  ///   - limit: where the query says the most rows that it lists.
  ///   - showsSummaries: whether a summary of each row is all that it shows: ``QueryPlan/showsSummaries``.
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

/// The neighbourhood of a typed query's rows: a change of a row concerns the queries that share it.
public struct RowScope<Query: CachedQuery>: Sendable {
  public typealias Row = Query.Row

  /// Calls its last argument with each place in which a row may be listed.
  let forEachPlace: @Sendable (Row, (UniqueID) -> Void) -> Void
  let place: @Sendable (Query) -> UniqueID

  private static var nowhere: UniqueID { UniqueID(high: 0, low: 0) }

  func holds(_ row: Row, _ query: Query) -> Bool {
    let wanted = place(query)
    var isThere = false
    forEachPlace(row) { if $0 == wanted { isThere = true } }
    return isThere
  }

  /// Every row of the type concerns every one of these queries.
  public static var everything: RowScope {
    RowScope(forEachPlace: { _, body in body(nowhere) }, place: { _ in nowhere })
  }

  /// A row concerns the queries whose parameter is the row's field: the messages of a conversation.
  public static func field(
    _ field: any KeyPath<Row, UniqueID> & Sendable,
    _ parameter: any KeyPath<Query, UniqueID> & Sendable
  ) -> RowScope {
    RowScope(
      forEachPlace: { row, body in body(row[keyPath: field]) },
      place: { query in query[keyPath: parameter] })
  }

  /// The same for a field that may be empty; such a row concerns none of them.
  public static func field(
    _ field: any KeyPath<Row, UniqueID?> & Sendable,
    _ parameter: any KeyPath<Query, UniqueID> & Sendable
  ) -> RowScope {
    RowScope(
      forEachPlace: { row, body in if let id = row[keyPath: field] { body(id) } },
      place: { query in query[keyPath: parameter] })
  }

  /// A row concerns the queries whose parameter is among the row's fields: the photos with a tag.
  public static func fields(
    _ fields: any KeyPath<Row, [UniqueID]> & Sendable,
    _ parameter: any KeyPath<Query, UniqueID> & Sendable
  ) -> RowScope {
    RowScope(
      forEachPlace: { row, body in for id in row[keyPath: fields] { body(id) } },
      place: { query in query[keyPath: parameter] })
  }
}

/// What a row must satisfy to be listed by a typed query.
public struct RowCondition<Query: CachedQuery>: Sendable {
  public typealias Row = Query.Row

  let holds: @Sendable (Row, Query) -> Bool

  /// A field is a constant.
  public static func equal<Value: Equatable & Sendable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable, to constant: Value
  ) -> RowCondition {
    RowCondition { row, _ in row[keyPath: field] == constant }
  }

  /// A field is what the query says.
  public static func equal<Value: Equatable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable,
    _ parameter: any KeyPath<Query, Value> & Sendable
  ) -> RowCondition {
    RowCondition { row, query in row[keyPath: field] == query[keyPath: parameter] }
  }

  /// A field is what the query says, or the query says nothing: a filter that may be off.
  public static func equal<Value: Equatable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable,
    ifGiven parameter: any KeyPath<Query, Value?> & Sendable
  ) -> RowCondition {
    RowCondition { row, query in
      query[keyPath: parameter].map { $0 == row[keyPath: field] } ?? true
    }
  }

  /// What the query says is among the row's fields.
  public static func contains<Value: Equatable & SendableMetatype>(
    _ fields: any KeyPath<Row, [Value]> & Sendable,
    _ parameter: any KeyPath<Query, Value> & Sendable
  ) -> RowCondition {
    RowCondition { row, query in row[keyPath: fields].contains(query[keyPath: parameter]) }
  }

  /// A text begins with what the query says, letter for letter.
  public static func prefix(
    _ field: any KeyPath<Row, String> & Sendable,
    _ parameter: any KeyPath<Query, String> & Sendable
  ) -> RowCondition {
    RowCondition { row, query in row[keyPath: field].hasPrefix(query[keyPath: parameter]) }
  }

  /// Anything else that the row and the query alone decide.
  public static func satisfies(_ holds: @escaping @Sendable (Row, Query) -> Bool) -> RowCondition {
    RowCondition(holds: holds)
  }
}

/// A criterion of the order of rows.
public struct RowOrder<Row: Sendable>: Sendable {
  let precedes: @Sendable (Row, Row) -> Bool

  /// The least first.
  public static func ascending<Value: Comparable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable
  ) -> RowOrder {
    RowOrder { $0[keyPath: field] < $1[keyPath: field] }
  }

  /// The greatest first.
  public static func descending<Value: Comparable & SendableMetatype>(
    _ field: any KeyPath<Row, Value> & Sendable
  ) -> RowOrder {
    RowOrder { $1[keyPath: field] < $0[keyPath: field] }
  }
}
