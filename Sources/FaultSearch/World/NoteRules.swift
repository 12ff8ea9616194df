package import CacheModel

/// What the queries of a world list, and in which order: the note app's own, or declared ones.
package struct NoteRules: Sendable {
  /// Empty: the note app's own queries.
  package let shapes: [NoteShape]
  /// Every query that a program may ask.
  package let queries: [QueryKey]

  package init(_ shapes: [NoteShape] = []) {
    self.shapes = shapes
    queries = shapes.isEmpty ? NoteWorld.queries : Self.queries(ofShapes: shapes.count)
  }

  /// The queries of so many declared shapes.
  static func queries(ofShapes count: Int) -> [QueryKey] {
    [LibraryID.test, .other].flatMap { library in
      (0..<count).flatMap { shape in
        (0..<NoteShape.variants).map {
          NoteQuery.declared(shape: shape, variant: $0).key(in: library)
        }
      }
    }
  }

  /// Whether a note belongs; `nil` where only its server can tell.
  func lists(_ note: Note, at key: EntityKey, in query: NoteQuery) -> Bool? {
    guard case .declared(let shape, let variant) = query else { return query.lists(note) }
    return shapes[shape].lists(note, at: key, variant: variant)
  }

  func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey, in query: NoteQuery
  ) -> Bool {
    guard case .declared(let shape, _) = query else {
      return lhs.title != rhs.title ? lhs.title < rhs.title : lhsKey < rhsKey
    }
    return shapes[shape].precedes(lhs, key: lhsKey, rhs, key: rhsKey)
  }

  func limit(of query: NoteQuery) -> Int? {
    guard case .declared(let shape, _) = query else { return query.limit }
    return shapes[shape].rows
  }

  /// Whether a query shows a summary of each note.
  func showsSummaries(_ query: NoteQuery) -> Bool {
    guard case .declared(let shape, _) = query else { return false }
    return shapes[shape].showsSummaries
  }

  /// Whether a query may show what a tag names.
  func query(_ key: QueryKey, matches tag: InvalidationTag) -> Bool {
    guard key.library == tag.library, tag.method == nil || tag.method == key.method else {
      return false
    }
    guard let type = tag.resourceType, case .declared(let shape, _) = NoteQuery(key) else {
      return true
    }
    switch shapes[shape].types {
    case .notes: return type == NoteSchema.noteType
    case .tasks: return type == NoteSchema.taskType
    case .both: return true
    }
  }

  /// Whether two values of a note stand in the same lists at the same places.
  func areListedAlike(_ former: Note, _ latter: Note) -> Bool {
    guard shapes.isEmpty else { return former == latter }
    return former.folder == latter.folder && former.title == latter.title
      && former.isStarred == latter.isStarred
      && former.text.utf8.count % 2 == latter.text.utf8.count % 2
  }
}
