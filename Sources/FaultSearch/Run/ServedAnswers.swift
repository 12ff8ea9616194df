import CacheModel
import NormalizedCache

/// What servers have answered, and where: so that they can say that an answer is still the same.
struct ServedAnswers: Sendable {
  private struct Answer: Sendable {
    var key: QueryKey
    var place: EventPlace
    var rows: [VersionedEntity<Note>]
    var hasMore: Bool
  }

  /// The latest last.
  private var answers: [Answer] = []
  private static let limit = 64

  mutating func note(_ response: FetchResponse<Note>, of key: QueryKey, at place: EventPlace) {
    if answers.count == Self.limit { answers.removeFirst() }
    answers.append(
      Answer(key: key, place: place, rows: response.entities, hasMore: response.hasMore))
  }

  /// What was answered there; `nil` where that is no longer known.
  func rows(of key: QueryKey, at place: EventPlace) -> [VersionedEntity<Note>]? {
    answers.first { $0.key == key && $0.place == place }?.rows
  }

  /// Whether every answer that was read there, of those remembered, was the same.
  ///
  /// Another source of the library may have changed it without moving the place: then it is not known
  /// which answer is meant.
  func isSame(_ response: FetchResponse<Note>, as key: QueryKey, at place: EventPlace) -> Bool {
    let there = answers.filter { $0.key == key && $0.place == place }
    return !there.isEmpty
      && there.allSatisfy { $0.rows == response.entities && $0.hasMore == response.hasMore }
  }
}
