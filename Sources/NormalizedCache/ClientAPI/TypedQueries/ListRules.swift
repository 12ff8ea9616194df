public import CacheModel

/// The rules of an app's typed queries, each registered once.
public struct ListRules<Payload: Sendable>: Sendable {
  struct Entry: Sendable {
    var method: QueryMethod
    var name: String
    var row: (type: ResourceType, name: String)
    /// The error of a key whose input does not match the query type.
    var fault: @Sendable (QueryKey) -> (any Error)?
    /// `nil` if the key's input does not match the query type.
    var plan: @Sendable (QueryKey) -> QueryPlan<ListPredicate<Payload>>?
    var forEachScope: @Sendable (Payload, EntityKey, (QueryScope) -> Void) -> Void
  }

  private(set) var entries: [Entry] = []

  /// Creates an empty set of rules.
  public init() {}

  /// Adds a query type.
  ///
  /// - Parameter query: the type.
  /// - Throws: ``ListRulesError`` if another type has the same method; the rules are unchanged.
  public mutating func register<Query: CachedQuery>(
    _ query: Query.Type
  ) throws(ListRulesError) where Query.Row.Payload == Payload {
    if let other = entries.first(where: { $0.method == Query.method }) {
      throw .duplicateMethod(Query.method, "\(Query.self)", registeredFor: other.name)
    }
    let rule = Query.rule
    entries.append(
      Entry(
        method: Query.method, name: "\(Query.self)",
        row: (Query.Row.resourceType, "\(Query.Row.self)"),
        fault: { key in
          do {
            _ = try Query(key: key)
            return nil
          } catch {
            return error
          }
        },
        plan: { key in (try? Query(key: key)).map { Self.plan(of: $0, rule) } },
        forEachScope: { payload, key, body in
          guard let row = Self.row(Query.Row.self, payload, key) else { return }
          rule.scope.forEachPlace(row) { body(QueryScope(kind: Query.method.rawValue, id: $0)) }
        }))
  }

  /// The registered methods and the types that they list, with the app's names.
  package var registered:
    [(method: QueryMethod, name: String, type: ResourceType, typeName: String)]
  {
    entries.map { ($0.method, $0.name, $0.row.type, $0.row.name) }
  }

  func entry(of method: QueryMethod) -> Entry? { entries.first { $0.method == method } }

  private static func plan<Query: CachedQuery>(
    of query: Query, _ rule: QueryRule<Query>
  ) -> QueryPlan<ListPredicate<Payload>> where Query.Row.Payload == Payload {
    let scope = QueryScope(kind: Query.method.rawValue, id: rule.scope.place(query))
    var list: [UInt8] = []
    var limit: Int?
    if let path = rule.limit {
      limit = max(query[keyPath: path], 0)
      var unlimited = query
      unlimited[keyPath: path] = 0
      list = (try? CanonicalEncoder.bytes(of: unlimited)) ?? []
    }
    let predicate = ListPredicate<Payload>(
      list: list,
      lists: { payload, key in
        row(Query.Row.self, payload, key).map { rule.lists($0, in: query) } ?? false
      },
      precedes: { lhs, lhsKey, rhs, rhsKey in
        guard let left = row(Query.Row.self, lhs, lhsKey),
          let right = row(Query.Row.self, rhs, rhsKey)
        else { return lhsKey < rhsKey }
        return rule.precedes(left, key: lhsKey, right, key: rhsKey)
      })
    return QueryPlan(
      predicate: predicate, scope: scope, limit: limit, resourceTypes: [Query.Row.resourceType],
      showsSummaries: rule.showsSummaries)
  }

  private static func row<Row: CachedResource>(
    _ type: Row.Type, _ payload: Payload, _ key: EntityKey
  ) -> Row? where Row.Payload == Payload {
    guard key.type == Row.resourceType else { return nil }
    return Row(VersionedEntity(key: key, version: .none, payload: payload))
  }
}

/// One typed query, as a schema evaluates it.
public struct ListPredicate<Payload: Sendable>: Sendable {
  /// The query without its limit; empty if it has none.
  let list: [UInt8]
  @usableFromInline let lists: @Sendable (Payload, EntityKey) -> Bool
  @usableFromInline let precedes: @Sendable (Payload, EntityKey, Payload, EntityKey) -> Bool

  /// The predicate of an unregistered query: it lists nothing.
  static var nothing: ListPredicate {
    ListPredicate(list: [], lists: { _, _ in false }, precedes: { _, lhs, _, rhs in lhs < rhs })
  }
}

/// Why a query type cannot be registered, or a query cannot be sent.
public enum ListRulesError: Error, Hashable, Sendable, CustomStringConvertible {
  case duplicateMethod(QueryMethod, String, registeredFor: String)
  /// The query's type is not registered with the schema.
  case notRegistered(QueryMethod, schema: String, registered: [String])

  public var description: String {
    switch self {
    case .duplicateMethod(let method, let name, let other):
      "method \(method.rawValue) cannot be registered for \(name): it is registered for \(other); "
        + "give each type of queries a number of its own"
    case .notRegistered(let method, let schema, let registered):
      "\(schema) has no rule for a query of method \(method.rawValue)"
        + (registered.isEmpty ? "" : ", only for " + registered.joined(separator: ", "))
        + "; in the initializer of \(schema) call `lists.register(TYPE.self)` with the type of "
        + "queries whose method that is"
    }
  }
}

/// A schema for typed queries, whose rules implement its requirements.
///
/// ```swift
/// struct ChatSchema: ListSchema {
///   var lists = ListRules<ChatItem>()
///
///   init() throws {
///     try lists.register(Conversations.self)
///     try lists.register(Messages.self)
///   }
///
///   func applying(_ change: ChatChange, to item: ChatItem) -> ChatItem { change.applied(to: item) }
/// }
/// ```
///
/// Every requirement of ``CacheSchema`` except `applying` has a default implementation. Reads of an
/// unregistered query send no request and fail with ``ListRulesError``. Each comparison creates its rows with
/// ``CachedResource/init(_:)`` and reads them by key paths, so an app with many events for long lists should
/// implement ``CacheSchema`` itself.
public protocol ListSchema: CacheSchema
where Predicate == ListPredicate<Payload>, Payload: Equatable {
  /// The payload, inferred from ``lists``.
  associatedtype Payload

  /// The rules of the app's queries.
  var lists: ListRules<Payload> { get }
}

extension ListSchema {
  public static var answersFromLongerLists: Bool { true }

  public func plan(for query: QueryKey) -> QueryPlan<ListPredicate<Payload>> {
    lists.entry(of: query.method)?.plan(query)
      ?? QueryPlan(
        predicate: .nothing, scope: QueryScope(kind: query.method.rawValue), limit: nil,
        resourceTypes: [], isCacheable: false)
  }

  public func refusal(of query: QueryKey) -> (any Error)? {
    guard let entry = lists.entry(of: query.method) else {
      return ListRulesError.notRegistered(
        query.method, schema: "\(Self.self)",
        registered: lists.entries.map { "\($0.name) (\($0.method.rawValue))" })
    }
    return entry.fault(query)
  }

  public func forEachScope(of payload: Payload, key: EntityKey, _ body: (QueryScope) -> Void) {
    for entry in lists.entries { entry.forEachScope(payload, key, body) }
  }

  /// Returns the value's inline size in bytes, without referenced storage; implement it if the cache is
  /// limited in bytes.
  @inlinable public func weight(of payload: Payload) -> Int { MemoryLayout<Payload>.stride }

  @inlinable public func areEqual(_ lhs: Payload, _ rhs: Payload) -> Bool { lhs == rhs }

  @inlinable public func belongs(
    _ payload: Payload, key: EntityKey, in predicate: ListPredicate<Payload>
  ) -> MatchResult {
    predicate.lists(payload, key) ? .member : .notMember
  }

  @inlinable public func precedes(
    _ lhs: Payload, key lhsKey: EntityKey, _ rhs: Payload, key rhsKey: EntityKey,
    in predicate: ListPredicate<Payload>
  ) -> Bool {
    predicate.precedes(lhs, lhsKey, rhs, rhsKey)
  }

  public func isSameList(_ lhs: ListPredicate<Payload>, as rhs: ListPredicate<Payload>) -> Bool {
    !lhs.list.isEmpty && lhs.list == rhs.list
  }

  @inlinable public func location(of payload: Payload) -> UniqueID? { nil }
}
