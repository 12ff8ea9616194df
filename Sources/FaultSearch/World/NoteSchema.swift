package import CacheModel
package import NormalizedCache

/// The smallest app that has everything a cache must follow: notes in folders, with titles that
/// order them, stars that select them, and a text of some length.
package struct Note: Hashable, Sendable {
  package var folder: Int
  package var title: String
  package var isStarred: Bool
  package var text: String
  /// Whether its text is only known by its length, as in the lists that show summaries.
  package private(set) var isSummary = false

  package init(folder: Int, title: String, isStarred: Bool = false, text: String = "") {
    self.folder = folder
    self.title = title
    self.isStarred = isStarred
    self.text = text
  }

  package var summary: Note {
    var summary = self
    summary.isSummary = true
    return summary
  }

  /// What it says of the note, however much that is.
  var content: Note {
    var content = self
    content.isSummary = false
    return content
  }
}

/// The queries of the note app.
package enum NoteQuery: Hashable, Sendable {
  /// The notes in a folder, by title, then key.
  case folder(Int)
  /// All starred notes, by title, then key, at most `limit`.
  case starred(limit: Int)
  /// Notes by a criterion that only the server knows.
  case opaque
  /// Never cached.
  case live
  /// One of a declared shape; see ``NoteShape``.
  case declared(shape: Int, variant: Int)

  package static let folderMethod = QueryMethod(rawValue: 1)
  package static let starredMethod = QueryMethod(rawValue: 2)
  package static let opaqueMethod = QueryMethod(rawValue: 3)
  package static let liveMethod = QueryMethod(rawValue: 4)
  package static let methods = [folderMethod, starredMethod, opaqueMethod, liveMethod]
  /// That of the first declared shape.
  private static let firstDeclaredMethod: UInt16 = 11

  package func key(in library: LibraryID = .test) -> QueryKey {
    switch self {
    case .folder(let folder):
      QueryKey(library: library, method: Self.folderMethod, input: Array("\(folder)".utf8))
    case .starred(let limit):
      QueryKey(library: library, method: Self.starredMethod, input: Array("\(limit)".utf8))
    case .opaque: QueryKey(library: library, method: Self.opaqueMethod, input: [])
    case .live: QueryKey(library: library, method: Self.liveMethod, input: [])
    case .declared(let shape, let variant):
      QueryKey(
        library: library,
        method: QueryMethod(rawValue: Self.firstDeclaredMethod + UInt16(shape)),
        input: Array("\(variant)".utf8))
    }
  }

  package init(_ key: QueryKey) {
    let number = Int(String(decoding: key.input, as: UTF8.self)) ?? 0
    self =
      switch key.method {
      case Self.folderMethod: .folder(number)
      case Self.starredMethod: .starred(limit: number)
      case Self.opaqueMethod: .opaque
      case Self.liveMethod: .live
      default:
        .declared(shape: Int(key.method.rawValue) - Int(Self.firstDeclaredMethod), variant: number)
      }
  }

  /// Whether a note belongs, where the app can tell.
  package func lists(_ note: Note) -> Bool? {
    switch self {
    case .folder(let folder): note.folder == folder
    case .starred: note.isStarred
    case .opaque, .live, .declared: nil
    }
  }

  package var limit: Int? {
    if case .starred(let limit) = self { limit } else { nil }
  }
}

package struct NoteSchema: CacheSchema {
  package static let noteType = ResourceType(rawValue: 1)
  /// That of the notes of the first library's second source.
  package static let taskType = ResourceType(rawValue: 2)

  /// What reads declared shapes; `nil`: the app asks its own queries.
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
  /// The note of a number.
  package static func note(_ number: Int) -> EntityKey {
    EntityKey(
      type: NoteWorld.numbers(of: 1).contains(number) ? NoteSchema.taskType : NoteSchema.noteType,
      id: UniqueID(high: 0, low: UInt64(number)))
  }

  /// A key of the client's own for a note that the server has not named.
  package static func temporary(_ number: Int) -> EntityKey {
    EntityKey(type: NoteSchema.noteType, id: UniqueID(high: 1, low: UInt64(number)))
  }
}
