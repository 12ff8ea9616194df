// An app that imports the cache has the words of its interface: keys, versions, events, compositions.
@_exported public import CacheModel

/// What a cache must know of an app's data to keep it: weights, equality, and which entity belongs
/// in which query, and where.
///
/// The store is generic over its payload: an app's typed value, or a simulator's handle. Every answer
/// must depend on the arguments alone, so that the same events give the same cache.
public protocol CacheSchema: Sendable {
  /// An entity's value.
  associatedtype Payload: Sendable
  /// A query's input, parsed once when the query is first asked.
  associatedtype Predicate: Sendable
  /// A change to an entity's value that a user may make before the server confirms it: a patch, which
  /// can be applied to whatever the confirmed value is by then.
  associatedtype Change: Sendable = Never

  /// How to keep a query: what it lists, where changes to it show, how far it reaches.
  func plan(for query: QueryKey) -> QueryPlan<Predicate>

  /// Why the server cannot be asked a query: the schema does not know it; `nil` where it can.
  ///
  /// Asked before each fetch of a query, which then fails with the error, and the source hears nothing of
  /// it. `nil` unless the schema says otherwise.
  func refusal(of query: QueryKey) -> (any Error)?

  /// Calls `body` with each scope in which an entity of this value may be listed. O(scopes).
  func forEachScope(of payload: Payload, key: EntityKey, _ body: (QueryScope) -> Void)

  /// The bytes that the value stands for.
  func weight(of payload: Payload) -> Int

  /// Whether two values are the same to whoever looks at them; equal values notify no observer.
  func areEqual(_ lhs: Payload, _ rhs: Payload) -> Bool

  /// Whether the entity belongs in a query.
  func belongs(_ payload: Payload, key: EntityKey, in predicate: Predicate) -> MatchResult

  /// Whether `lhs` comes before `rhs` in a query: a strict total order over distinct entities. For
  /// two values of one entity: whether its place may have changed (either direction).
  func precedes(
    _ lhs: Payload, key lhsKey: EntityKey, _ rhs: Payload, key rhsKey: EntityKey,
    in predicate: Predicate
  ) -> Bool

  /// The value with a pending change on top.
  func applying(_ change: Change, to payload: Payload) -> Payload

  /// A pending entity's value under the server's keys, where it names other entities by keys that the
  /// client gave them; the value itself where it names none.
  func renaming(_ keys: [EntityKey: EntityKey], in payload: Payload) -> Payload

  /// The same for a pending change.
  func renaming(_ keys: [EntityKey: EntityKey], in change: Change) -> Change

  /// The location (a directory tree) that holds the entity; `nil` for none or unknown.
  func location(of payload: Payload) -> UniqueID?

  /// Whether a value may be a summary: ``isSummary(_:)`` is asked then. `false` unless the schema says
  /// otherwise.
  static var hasSummaries: Bool { get }

  /// Whether a value is a summary: that part of an entity which lists show whose
  /// ``QueryPlan/showsSummaries`` is set.
  ///
  /// A summary has whatever scopes, membership and order depend on. A change to one leaves it one.
  func isSummary(_ payload: Payload) -> Bool

  /// Whether a query that the cache does not have is answered from one that lists more of the same:
  /// ``isSameList(_:as:)`` is asked then. `false` unless the schema says otherwise.
  static var answersFromLongerLists: Bool { get }

  /// Whether two queries of one method and library list the same rows in the same order, but for their
  /// limits.
  func isSameList(_ lhs: Predicate, as rhs: Predicate) -> Bool
}

extension CacheSchema {
  public func refusal(of query: QueryKey) -> (any Error)? { nil }

  @inlinable public static var hasSummaries: Bool { false }

  @inlinable public func isSummary(_ payload: Payload) -> Bool { false }

  @inlinable public static var answersFromLongerLists: Bool { false }

  public func isSameList(_ lhs: Predicate, as rhs: Predicate) -> Bool { false }

  public func renaming(_ keys: [EntityKey: EntityKey], in payload: Payload) -> Payload { payload }

  public func renaming(_ keys: [EntityKey: EntityKey], in change: Change) -> Change { change }

  /// An edit under the server's keys: that of its entity, and those that its value names.
  @inlinable func renaming(
    _ keys: [EntityKey: EntityKey], in edit: ClientMutation<Payload, Change>.Edit
  ) -> ClientMutation<Payload, Change>.Edit {
    let key = keys[edit.key] ?? edit.key
    return switch edit {
    case .create(_, let payload): .create(key, renaming(keys, in: payload))
    case .update(_, let change): .update(key, renaming(keys, in: change))
    case .delete: .delete(key)
    }
  }
}

extension CacheSchema where Change == Never {
  public func applying(_ change: Never, to payload: Payload) -> Payload {}
}

/// Whether an entity belongs in a query.
public enum MatchResult: Sendable {
  case member
  case notMember
  /// The schema cannot decide from the value; the query is marked stale.
  case unknown
}

/// A neighbourhood of queries that see the same changes: a directory, a tag, a whole library.
///
/// A query stands in one scope, an entity in a few; an event looks only at the queries in its
/// entity's scopes, so queries elsewhere cost it nothing.
public struct QueryScope: Hashable, Sendable {
  /// What the scope is about; numbers are the schema's own.
  public var kind: UInt16
  /// Which one; zero where there is only one.
  public var id: UniqueID

  @inlinable public init(kind: UInt16, id: UniqueID = UniqueID(high: 0, low: 0)) {
    self.kind = kind
    self.id = id
  }
}

/// How to keep one query.
public struct QueryPlan<Predicate: Sendable>: Sendable {
  public var predicate: Predicate
  public var scope: QueryScope
  /// The most rows in a result; `nil`: no limit.
  ///
  /// An answer that has more is refused: ``ResponseError/tooManyRows(_:limit:_:)``.
  public var limit: Int?
  /// The types of entity that the result lists, for invalidation by tag.
  ///
  /// An answer that lists another is refused: ``ResponseError/unplannedType(_:row:query:planned:)``.
  public var resourceTypes: [ResourceType]
  /// The location to which the query is confined; `nil`: it may list entities of any location.
  public var location: UniqueID?
  /// `false`: answered by the server every time, and not kept.
  public var isCacheable: Bool
  /// Whether a summary of each entity is all that the query shows.
  ///
  /// Another query that lists an entity of which only a summary is held is answered by the server.
  public var showsSummaries: Bool

  @inlinable public init(
    predicate: Predicate, scope: QueryScope, limit: Int?, resourceTypes: [ResourceType],
    location: UniqueID? = nil, isCacheable: Bool = true, showsSummaries: Bool = false
  ) {
    self.predicate = predicate
    self.scope = scope
    self.limit = limit
    self.resourceTypes = resourceTypes
    self.location = location
    self.isCacheable = isCacheable
    self.showsSummaries = showsSummaries
  }
}

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
    precedes(entity.payload, key: entity.key, other.payload, key: other.key, in: predicate)
  }
}
