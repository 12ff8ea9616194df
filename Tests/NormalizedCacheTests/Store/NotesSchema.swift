import CacheModel
import FaultSearch
import NormalizedCache
import Synchronization

/// A schema of notes that passes everything to the plain one, except its own answers.
protocol NotesSchema: CacheSchema
where Payload == Note, Predicate == NoteQuery, Change == NoteChange {
  /// Called at each question about a value.
  func countQuestion()
}

extension NotesSchema {
  private var notes: NoteSchema { NoteSchema() }

  func countQuestion() {}

  func plan(for query: QueryKey) -> QueryPlan<NoteQuery> { notes.plan(for: query) }

  func forEachScope(of payload: Note, key: EntityKey, _ body: (QueryScope) -> Void) {
    countQuestion()
    notes.forEachScope(of: payload, key: key, body)
  }

  func weight(of payload: Note) -> Int { notes.weight(of: payload) }

  func areEqual(_ lhs: Note, _ rhs: Note) -> Bool {
    countQuestion()
    return notes.areEqual(lhs, rhs)
  }

  func belongs(_ payload: Note, key: EntityKey, in predicate: NoteQuery) -> MatchResult {
    countQuestion()
    return notes.belongs(payload, key: key, in: predicate)
  }

  func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey,
    in predicate: NoteQuery
  ) -> Bool {
    countQuestion()
    return notes.precedes(lhs, key: lhsKey, rhs, key: rhsKey, in: predicate)
  }

  func applying(_ change: NoteChange, to payload: Note) -> Note {
    countQuestion()
    return notes.applying(change, to: payload)
  }

  func location(of payload: Note) -> UniqueID? { notes.location(of: payload) }
}

/// Counts a store's calls.
struct CountingNotes: NotesSchema {
  final class Questions: Sendable {
    private let total = Atomic(0)
    var count: Int { total.load(ordering: .relaxed) }
    func add() { total.add(1, ordering: .relaxed) }
  }

  let questions = Questions()

  func countQuestion() { questions.add() }
}
