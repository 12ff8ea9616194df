import CacheModel
import Workloads

/// What a declared shape lists, read off its words: too simple to be wrong.
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

  /// The row behind which a query's begin; `nil`: all are listed.
  func cursor(_ variant: Int) -> (key: EntityKey, note: Note)? {
    guard isPaged, variant > 0 else { return nil }
    let note = Note(
      folder: variant, title: Self.titles[2 * variant - 1], isStarred: variant == 2, text: "xx")
    return (types == .tasks ? .note(Self.anyTask) : .note(Self.anyNote), note)
  }

  static let anyNote = 0
  static let anyTask = NoteWorld.numbers(of: 1).lowerBound

  /// The folders that a note refers to besides its own, by the length of its text.
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
