import NormalizedCache

/// The value of the guide's app.
struct Note: Equatable, Codable, CachedResource {
  static let resourceType = ResourceType(rawValue: 1)

  var title: String
  var isDone: Bool
}

/// The notes of a library by title: all, or those that are done, or those that are not.
struct Notes: CachedQuery {
  static let method = QueryMethod(rawValue: 1)
  static let rule = QueryRule<Notes>(
    where: [.equal(\.isDone, ifGiven: \.isDone)], order: [.ascending(\.title)])

  typealias Row = Note
  var isDone: Bool?
}

/// A user's changes of a note.
enum NoteChange: Equatable, Codable, Sendable {
  case rename(String)
  case finish
}

struct NoteSchema: ListSchema {
  var lists = ListRules<Note>()

  init() throws {
    try lists.register(Notes.self)
  }

  func weight(of note: Note) -> Int { 32 + note.title.utf8.count }

  func applying(_ change: NoteChange, to note: Note) -> Note {
    var note = note
    switch change {
    case .rename(let title): note.title = title
    case .finish: note.isDone = true
    }
    return note
  }
}
