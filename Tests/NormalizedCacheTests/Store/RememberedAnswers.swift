import CacheModel
import FaultSearch
import NormalizedCache

/// Knows what a world has answered at which place, so that it can say that nothing has changed.
struct RememberedAnswers {
  private struct Question: Hashable {
    var query: QueryKey
    var place: EventPlace
  }

  /// `nil` where two different answers were given at one place: the other source has moved.
  private var answers: [Question: [VersionedEntity<Note>]?] = [:]

  /// How often it said so.
  private(set) var confirmations = 0

  mutating func answer(
    _ target: FetchTarget, _ condition: EventPlace?, in world: NoteWorld
  ) -> FetchResponse<Note> {
    let response = world.answer(target)
    guard case .query(let key) = target, let place = response.place else { return response }
    let question = Question(query: key, place: place)
    let former = answers[question]
    answers[question] = .some(
      former == nil || former == response.entities ? response.entities : nil)
    guard let condition, case let then? = answers[Question(query: key, place: condition)],
      then == response.entities
    else { return response }
    confirmations += 1
    return .notModified(at: place)
  }
}
