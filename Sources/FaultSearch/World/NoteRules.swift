package import CacheModel
import Workloads

/// The members and the order of a world's queries: the note app's own, or declared ones.
package struct NoteRules: Sendable {
  /// The declared shapes; empty: the note app's own queries.
  package let shapes: [NoteShape]
  package let queries: [QueryKey]

  package init(_ shapes: [NoteShape] = []) {
    self.shapes = shapes
    queries = shapes.isEmpty ? NoteWorld.queries : Self.queries(ofShapes: shapes.count)
  }

  static func queries(ofShapes count: Int) -> [QueryKey] {
    [LibraryID.test, .other].flatMap { library in
      (0..<count).flatMap { shape in
        (0..<NoteShape.variants).map {
          NoteQuery.declared(shape: shape, variant: $0).key(in: library)
        }
      }
    }
  }

  /// Returns whether a note is a member; `nil` if only its server can evaluate that.
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

  func showsSummaries(_ query: NoteQuery) -> Bool {
    guard case .declared(let shape, _) = query else { return false }
    return shapes[shape].showsSummaries
  }

  /// Returns whether a tag may match a query's rows.
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

  /// Returns whether two values of a note have the same index in all lists.
  func areListedAlike(_ former: Note, _ latter: Note) -> Bool {
    guard shapes.isEmpty else { return former == latter }
    return former.folder == latter.folder && former.title == latter.title
      && former.isStarred == latter.isStarred
      && former.text.utf8.count % 2 == latter.text.utf8.count % 2
  }
}

/// A direct evaluation of a declared shape, too simple to be wrong.
extension NoteShape {
  func lists(_ note: Note, at key: EntityKey, variant: Int) -> Bool {
    switch types {
    case .notes: if key.type != NoteSchema.noteType { return false }
    case .tasks: if key.type != NoteSchema.taskType { return false }
    case .both: break
    }
    switch subject {
    case .nothing: break
    case .folder: if note.folder != variant { return false }
    case .labels: if !Self.labels(of: note).contains(variant) { return false }
    case .typed: if !note.title.hasPrefix(Self.titles[variant]) { return false }
    }
    if let star, note.isStarred != star { return false }
    if let bound, !bound.holds(for: note.text.utf8.count) { return false }
    guard let cursor = cursor(variant) else { return true }
    return precedes(cursor.note, key: cursor.key, note, key: key)
  }

  func precedes(_ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey) -> Bool {
    for order in order {
      let (left, right) = (order.field.value(of: lhs), order.field.value(of: rhs))
      if left != right { return order.isDescending ? left > right : left < right }
    }
    return lhsKey < rhsKey
  }

  /// Returns the row after which a query begins; `nil`: at the first row.
  func cursor(_ variant: Int) -> (key: EntityKey, note: Note)? {
    guard isPaged, variant > 0 else { return nil }
    let note = Note(
      folder: variant, title: Self.titles[2 * variant - 1], isStarred: variant == 2, text: "xx")
    return (types == .tasks ? .note(Self.anyTask) : .note(Self.anyNote), note)
  }

  static let anyNote = 0
  static let anyTask = NoteWorld.numbers(of: 1).lowerBound

  /// Returns the folders that a note references besides its own, by the length of its text.
  static func labels(of note: Note) -> [Int] {
    folders.filter { note.text.utf8.count & (1 << $0) != 0 }
  }
}

extension NoteShape.Bound {
  func holds(for value: Int) -> Bool {
    switch comparison {
    case .equal: value == length
    case .unequal: value != length
    case .atMost: value <= length
    case .atLeast: value >= length
    case .less: value < length
    case .greater: value > length
    }
  }
}

extension NoteShape.Field {
  func value(of note: Note) -> Int {
    switch self {
    case .number: note.folder
    case .title: Int(note.title.utf8.first ?? 0)
    case .star: note.isStarred ? 1 : 0
    case .length: note.text.utf8.count
    case .time: (note.folder + note.text.utf8.count) % 4
    }
  }
}
