import NormalizedCache

/// A note as views show it.
struct Note: CachedResource, Equatable {
  static let resourceType = ResourceType(rawValue: 1)

  var title: String
  var isDone = false
}

/// The notes that are not done, by title.
struct OpenNotes: CachedQuery {
  static let method = QueryMethod(rawValue: 1)
  static let rule = QueryRule<OpenNotes>(
    where: [.equal(\.isDone, to: false)], order: [.ascending(\.title)])

  typealias Row = Note
}

/// All queries of the app.
struct NoteSchema: ListSchema {
  var lists = ListRules<Note>()

  init() throws {
    try lists.register(OpenNotes.self)
  }
}
