// Re-exported, so that an app gets keys, versions, events and policies with the cache.
@_exported public import CacheModel

/// An app's data model: weights, equality, and which entity belongs in which query, at which position.
///
/// The store is generic over its payload: an app's typed value, or a simulator's handle. Every result must
/// depend on the arguments alone, so that the same events give the same cache.
public protocol CacheSchema: Sendable {
  /// An entity's value.
  associatedtype Payload: Sendable
  /// A query's parsed input, created once when the query is first read.
  associatedtype Predicate: Sendable
  /// A user's change to an entity's value before the server confirms it: a patch that can be applied to any
  /// confirmed value.
  associatedtype Change: Sendable = Never

  /// Returns how to cache a query: its predicate, its scope for changes, and its limit.
  func plan(for query: QueryKey) -> QueryPlan<Predicate>

  /// Returns the error for a query that cannot be sent, because the schema does not know it; `nil` otherwise.
  ///
  /// Called before each fetch of a query, which then fails with the error without a request to the source.
  /// The default returns `nil`.
  func refusal(of query: QueryKey) -> (any Error)?

  /// Calls `body` with each scope in which an entity of this value may be listed; O(scopes).
  func forEachScope(of payload: Payload, key: EntityKey, _ body: (QueryScope) -> Void)

  /// Returns the value's size in bytes.
  func weight(of payload: Payload) -> Int

  /// Returns whether two values look the same; equal values notify no observer.
  func areEqual(_ lhs: Payload, _ rhs: Payload) -> Bool

  /// Returns whether the entity belongs in a query.
  func belongs(_ payload: Payload, key: EntityKey, in predicate: Predicate) -> MatchResult

  /// Returns whether `lhs` precedes `rhs` in a query: a strict total order over distinct entities. For two
  /// values of one entity: whether its position may have changed (in either direction).
  func precedes(
    _ lhs: Payload, key lhsKey: EntityKey, _ rhs: Payload, key rhsKey: EntityKey,
    in predicate: Predicate
  ) -> Bool

  /// Applies a pending change to a value.
  func applying(_ change: Change, to payload: Payload) -> Payload

  /// Replaces client keys by server keys where a pending entity's value refers to other entities; returns it
  /// unchanged if it refers to none.
  func renaming(_ keys: [EntityKey: EntityKey], in payload: Payload) -> Payload

  /// Replaces client keys by server keys in a pending change.
  func renaming(_ keys: [EntityKey: EntityKey], in change: Change) -> Change

  /// Returns the location (a directory tree) that contains the entity; `nil` for none or unknown.
  func location(of payload: Payload) -> UniqueID?

  /// Whether a value may be a summary, so that ``isSummary(_:)`` is called; the default is `false`.
  static var hasSummaries: Bool { get }

  /// Returns whether a value is a summary: the part of an entity for lists whose ``QueryPlan/showsSummaries``
  /// is set.
  ///
  /// A summary contains everything that determines scopes, membership and order. A changed summary is still
  /// one.
  func isSummary(_ payload: Payload) -> Bool

  /// Whether a query that is not cached can be answered from a longer one, so that ``isSameList(_:as:)`` is
  /// called; the default is `false`.
  static var answersFromLongerLists: Bool { get }

  /// Returns whether two queries of one method and library list the same rows in the same order, except for
  /// their limits.
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

  /// Replaces client keys by server keys in an edit: its entity's key, and those in its value.
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
  /// The value does not decide; the query is marked stale.
  case unknown
}

/// A set of queries that see the same changes: a directory, a tag, a whole library.
///
/// A query has one scope, an entity a few; an event checks only the queries in its entity's scopes, so
/// queries elsewhere cost nothing.
public struct QueryScope: Hashable, Sendable {
  /// The kind of scope; numbers are the schema's own.
  public var kind: UInt16
  /// The identifier within the kind; zero if there is only one.
  public var id: UniqueID

  @inlinable public init(kind: UInt16, id: UniqueID = UniqueID(high: 0, low: 0)) {
    self.kind = kind
    self.id = id
  }
}

/// How to cache one query.
public struct QueryPlan<Predicate: Sendable>: Sendable {
  public var predicate: Predicate
  public var scope: QueryScope
  /// The maximum number of rows in a result; `nil`: no limit.
  ///
  /// An answer with more rows is rejected: ``ResponseError/tooManyRows(_:limit:_:)``.
  public var limit: Int?
  /// The resource types of the result, for invalidation by tag.
  ///
  /// An answer with another type is rejected: ``ResponseError/unplannedType(_:row:query:planned:)``.
  public var resourceTypes: [ResourceType]
  /// The only location of listed entities; `nil`: any.
  public var location: UniqueID?
  /// Whether results are cached; if not, the server answers every read.
  public var isCacheable: Bool
  /// Whether the query needs only a summary of each entity.
  ///
  /// If only a summary of a listed entity is cached, other queries are answered by the server.
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

/// A contradiction between the server's answer and the schema's rules for a query.
public enum RuleMismatch: Hashable, Sendable, CustomStringConvertible {
  /// The server lists a row that does not belong by the schema.
  case foreignRow(EntityKey, row: Int)
  /// The schema does not report the query's scope for a row, so its changes would not reach the query.
  case outOfScope(EntityKey, row: Int)
  /// By the schema the row precedes the one listed above it.
  case outOfOrder(EntityKey, row: Int)
  /// By the schema an entity is listed, but the server leaves it out.
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
  /// Returns how an answer contradicts the schema, for a test that asks the real server.
  ///
  /// A cache notices rows in a different order and fetches again at each change; it cannot notice rows that
  /// the server filters differently.
  ///
  /// - Complexity: O(rows + others).
  ///
  /// ```swift
  /// let found = schema.mismatches(in: response, to: key, among: everything)
  /// ```
  ///
  /// - Parameters:
  ///   - response: the server's answer.
  ///   - query: the query.
  ///   - others: known entities of the server; each that belongs, and would be sorted before the last row,
  ///     must be listed.
  /// - Returns: the contradictions in the order of the rows; empty if there are none.
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
