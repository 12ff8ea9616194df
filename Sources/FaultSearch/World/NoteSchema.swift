package import CacheModel
package import NormalizedCache

package struct NoteSchema: CacheSchema {
  package static let noteType = ResourceType(rawValue: 1)
  /// The type of notes from the first library's second source.
  package static let taskType = ResourceType(rawValue: 2)

  /// The interpretation of declared shapes; `nil`: the app has its own queries.
  private let model: NoteModel?

  package init(_ model: NoteModel? = nil) { self.model = model }

  package func plan(for query: QueryKey) -> QueryPlan<NoteQuery> {
    let predicate = NoteQuery(query)
    if case .declared(let shape, let variant) = predicate {
      return declared.plan(for: predicate, shape: shape, variant: variant)
    }
    let scope =
      switch predicate {
      case .folder(let folder):
        QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(folder)))
      case .starred: QueryScope(kind: 2)
      case .opaque, .live, .declared: QueryScope(kind: 3)
      }
    return QueryPlan(
      predicate: predicate, scope: scope, limit: predicate.limit,
      resourceTypes: [Self.noteType, Self.taskType], isCacheable: predicate != .live)
  }

  private var declared: NoteModel {
    guard let model else { preconditionFailure("a query that this app does not declare") }
    return model
  }

  package func forEachScope(of payload: Note, key: EntityKey, _ body: (QueryScope) -> Void) {
    if let model { return model.forEachScope(of: payload, key: key, body) }
    body(QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(payload.folder))))
    body(QueryScope(kind: 2))
    body(QueryScope(kind: 3))
  }

  package static var hasSummaries: Bool { true }

  package func isSummary(_ payload: Note) -> Bool { payload.isSummary }

  package func weight(of payload: Note) -> Int {
    payload.isSummary ? 1 : payload.text.utf8.count + 1
  }

  package func areEqual(_ lhs: Note, _ rhs: Note) -> Bool { lhs.content == rhs.content }

  package func belongs(_ payload: Note, key: EntityKey, in predicate: NoteQuery) -> MatchResult {
    if case .declared(let shape, let variant) = predicate {
      return declared.belongs(payload, key: key, shape: shape, variant: variant)
    }
    return switch predicate.lists(payload) {
    case true?: .member
    case false?: .notMember
    case nil: .unknown
    }
  }

  package func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey,
    in predicate: NoteQuery
  ) -> Bool {
    if case .declared(let shape, let variant) = predicate {
      return declared.precedes(
        lhs, key: lhsKey, rhs, key: rhsKey, shape: shape, variant: variant)
    }
    return lhs.title != rhs.title ? lhs.title < rhs.title : lhsKey < rhsKey
  }

  package func applying(_ change: NoteChange, to payload: Note) -> Note {
    change.applied(to: payload)
  }

  package func location(of payload: Note) -> UniqueID? { nil }
}

extension LibraryID {
  package static let test = LibraryID(rawValue: UniqueID(high: 1, low: 1))
  package static let other = LibraryID(rawValue: UniqueID(high: 1, low: 2))
}

extension EntityKey {
  package static func note(_ number: Int) -> EntityKey {
    EntityKey(
      type: NoteWorld.numbers(of: 1).contains(number) ? NoteSchema.taskType : NoteSchema.noteType,
      id: UniqueID(high: 0, low: UInt64(number)))
  }

  /// Returns a temporary key of the client for a note without a server's key.
  package static func temporary(_ number: Int) -> EntityKey {
    EntityKey(type: NoteSchema.noteType, id: UniqueID(high: 1, low: UInt64(number)))
  }
}
