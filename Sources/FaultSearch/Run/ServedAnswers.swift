import CacheModel

/// What servers have answered, and where: so that they can say that an answer is still the same.
struct ServedAnswers: Sendable {
  private struct Answer: Sendable {
    var key: QueryKey
    var place: EventPlace
    var rows: [VersionedEntity<Note>]
  }

  /// The latest last.
  private var answers: [Answer] = []
  private static let limit = 64

  mutating func note(_ rows: [VersionedEntity<Note>], of key: QueryKey, at place: EventPlace) {
    if answers.count == Self.limit { answers.removeFirst() }
    answers.append(Answer(key: key, place: place, rows: rows))
  }

  /// What was answered there; `nil` where that is no longer known.
  func rows(of key: QueryKey, at place: EventPlace) -> [VersionedEntity<Note>]? {
    answers.first { $0.key == key && $0.place == place }?.rows
  }

  /// Whether every answer that was read there, of those remembered, had these rows.
  ///
  /// Another source of the library may have changed it without moving the place: then it is not known
  /// which answer is meant.
  func isSame(_ rows: [VersionedEntity<Note>], as key: QueryKey, at place: EventPlace) -> Bool {
    let there = answers.filter { $0.key == key && $0.place == place }
    return !there.isEmpty && there.allSatisfy { $0.rows == rows }
  }
}
