import CacheModel
import NormalizedCache

/// What is shown while changes are pending: the confirmed state with what remains of them on top.
extension FaultRun {
  /// What a confirmed value shows with edits on top, replayed in order.
  private static func replay(_ edits: [NoteMutation.Edit], on confirmed: Note?) -> Note? {
    var shown = confirmed
    for edit in edits {
      switch edit {
      case .create(_, let note): shown = shown ?? note
      case .update(_, let change): shown = shown.map { change.applied(to: $0) }
      case .delete: shown = nil
      }
    }
    return shown
  }

  /// Every edited entity, and every row of one, shows the confirmed value with its edits on top.
  mutating func checkOverlay() {
    guard isOverlaid else { return }
    var confirmed: [EntityKey: Note] = [:]
    store.forEachResident { key, note in confirmed[key] = note }
    var expected: [EntityKey: Note?] = [:]
    for edit in edits where expected[edit.key] == nil {
      let own = edits.filter { $0.key == edit.key }
      let note = Self.replay(own, on: confirmed[edit.key])
      expected[edit.key] = .some(note)
      let shown = store.peek(edit.key)?.payload
      if shown != note {
        diverge(
          .overlayReplays, about: Oracle.name(edit.key), expected: Oracle.name(note),
          found: Oracle.name(shown))
      }
    }
    for observer in observers {
      for case let row? in observer.rows ?? [] {
        guard let note = expected[row.key], note != row.payload else { continue }
        diverge(
          .overlayReplays, about: Oracle.name(observer.key), expected: Oracle.name(note),
          found: Oracle.name(row))
      }
    }
  }

  var isOverlaid: Bool { !edits.isEmpty }

  /// Notes the edits of everything that is pending, in order.
  mutating func notePendingEdits() {
    let pending = store.pendingMutations
    if edits.isEmpty, pending.isEmpty { return }
    edits = pending.flatMap { store.pendingMutation($0)?.edits ?? [] }
  }

  /// A query's confirmed rows; `nil` where it has no result.
  func confirmedRows(of key: QueryKey) -> [ConfirmedRow]? {
    store.members(of: key)?.map {
      ConfirmedRow(key: store.key(of: $0), note: store.payload(of: $0))
    }
  }
}

/// A row of a list as the server confirmed it.
struct ConfirmedRow: Hashable {
  var key: EntityKey
  var note: Note?

  var name: String { "\(key.id.low) \(Oracle.name(note))" }
}
