public import CacheModel

/// A schema whose queries are types with rules, so that nothing of them is left to write.
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
/// Every requirement of ``CacheSchema`` but `applying` has a default, and may be given otherwise. A key of
/// no registered query asks nothing of the server: its reads fail with ``ListRulesError``. Each comparison makes its rows by
/// ``CachedResource/init(_:)`` and reads them by key paths, so an app whose events are many, and enter long
/// lists, is better off with a schema written by hand.
public protocol ListSchema: CacheSchema
where Predicate == ListPredicate<Payload>, Payload: Equatable {
  /// The values, found from ``lists`` alone.
  associatedtype Payload

  /// What its queries list.
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

  public func forEachScope(
    of payload: Payload, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    for entry in lists.entries { entry.forEachScope(payload, key, body) }
  }

  /// The bytes that the value takes where it lies, without what it refers to: give a better one where the
  /// cache is limited in bytes.
  @inlinable public func weight(of payload: Payload) -> Int { MemoryLayout<Payload>.stride }

  @inlinable public func areEqual(_ lhs: Payload, _ rhs: Payload) -> Bool { lhs == rhs }

  @inlinable public func belongs(
    _ payload: Payload, key: EntityKey, in predicate: ListPredicate<Payload>
  ) -> Belonging {
    predicate.lists(payload, key) ? .member : .notMember
  }

  @inlinable public func precedes(
    _ lhs: Payload, key lhsKey: EntityKey, _ rhs: Payload, key rhsKey: EntityKey,
    in predicate: ListPredicate<Payload>
  ) -> Bool {
    predicate.precedes(lhs, lhsKey, rhs, rhsKey)
  }

  public func isSameList(
    _ lhs: ListPredicate<Payload>, as rhs: ListPredicate<Payload>
  ) -> Bool {
    !lhs.list.isEmpty && lhs.list == rhs.list
  }

  @inlinable public func location(of payload: Payload) -> UniqueID? { nil }
}
