import NormalizedCache

/// What the app of the guide is about.
struct Note: Equatable, Codable, CachedResource {
  static let resourceType = ResourceType(rawValue: 1)

  var title: String
  var isDone: Bool
}

/// What a user may change in a note.
enum NoteChange: Equatable, Codable, Sendable {
  case rename(String)
  case finish
}

/// Which notes a list shows.
enum NoteFilter: UInt8, Sendable {
  case all
  case open
}

extension QueryKey {
  /// The notes of a library, by title.
  static func notes(_ filter: NoteFilter, in library: LibraryID) -> QueryKey {
    QueryKey(library: library, method: QueryMethod(rawValue: 1), input: [filter.rawValue])
  }
}

struct NoteSchema: CacheSchema {
  func plan(for query: QueryKey) -> QueryPlan<NoteFilter> {
    let filter = query.input.first.flatMap(NoteFilter.init) ?? .all
    return QueryPlan(
      predicate: filter, scope: .library, limit: nil, resourceTypes: [Note.resourceType])
  }

  func belongs(_ note: Note, key: EntityKey, in filter: NoteFilter) -> Belonging {
    filter == .all || !note.isDone ? .member : .notMember
  }

  func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey, in filter: NoteFilter
  ) -> Bool {
    (lhs.title, lhsKey) < (rhs.title, rhsKey)
  }

  func forEachScope(of note: Note, key: EntityKey, _ body: (QueryScope) -> Void) { body(.library) }
  func weight(of note: Note) -> Int { 32 + note.title.utf8.count }
  func areEqual(_ lhs: Note, _ rhs: Note) -> Bool { lhs == rhs }
  func location(of note: Note) -> UniqueID? { nil }

  func applying(_ change: NoteChange, to note: Note) -> Note {
    var note = note
    switch change {
    case .rename(let title): note.title = title
    case .finish: note.isDone = true
    }
    return note
  }
}

extension QueryScope {
  /// A change to any note concerns every list of notes, so there is one scope.
  static let library = QueryScope(kind: 1)
}
