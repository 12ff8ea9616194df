package import CacheModel
import NormalizedCache

/// A query that somebody observes, and what was seen of it.
package struct ObservedQuery: Sendable {
  package typealias Rows = [VersionedEntity<Note>?]

  package var key: QueryKey
  package var count = 1
  /// The rows when the observers were last told, or first looked.
  var shown: Rows?
  /// The rows after the last call.
  var rows: Rows?
  /// The rows that a reader has who asks for what has changed when it is told.
  var read = ReadRows<VersionedEntity<Note>>()
  /// What the rows hung on then.
  var basis: ShownBasis?

  /// Rows that had a value after the last call, and have none now.
  func emptied(by later: Rows?) -> [EntityKey] {
    let there = (later ?? []).compactMap { $0?.key }
    return (rows ?? []).compactMap { $0?.key }.filter { !there.contains($0) }
  }

  /// A row that was shown in a newer version than it would be now.
  func retreat(to later: Rows?) -> (VersionedEntity<Note>, VersionedEntity<Note>)? {
    for case let former? in shown ?? [] {
      for case let latter? in later ?? []
      where latter.key == former.key && latter.version < former.version
        && latter.version != .none
      {
        return (former, latter)
      }
    }
    return nil
  }

  /// Whether the observers should have been told of the rows as they are now: they differ from those
  /// that they were told of in more than values that were taken away to make space.
  func misses(_ later: Rows?) -> Bool { Self.differ(shown, later) }

  /// Whether rows differ, though nothing has happened since the last call but that values were taken
  /// away.
  func isMoved(to later: Rows?, on basis: ShownBasis?) -> Bool {
    guard let former = self.basis, let basis, former.hasOnlyLostValues(before: basis) else {
      return false
    }
    return Self.differ(rows, later)
  }

  private static func differ(_ former: Rows?, _ later: Rows?) -> Bool {
    guard let former, let later else { return former == nil && later != nil }
    guard former.count == later.count else { return true }
    return zip(former, later).contains { former, latter in
      guard let latter else { return false }
      return former?.key != latter.key || former?.payload.content != latter.payload.content
    }
  }
}

/// What the rows of a query hang on while changes are pending.
struct ShownBasis: Hashable, Sendable {
  var confirmed: [ConfirmedRow]
  var hasMore: Bool
  var edits: [PendingEdit]
  /// What is confirmed of the entity of each edit.
  var edited: [Note?]

  /// Whether some rows have no value any longer, and nothing else has changed.
  func hasOnlyLostValues(before later: ShownBasis) -> Bool {
    guard edits == later.edits, edited == later.edited, hasMore == later.hasMore,
      confirmed.count == later.confirmed.count
    else { return false }
    return zip(confirmed, later.confirmed).allSatisfy { former, latter in
      former.key == latter.key && (latter.note == nil || latter.note == former.note)
    }
  }
}

/// An edit of something that is pending.
struct PendingEdit: Hashable, Sendable {
  var edit: NoteEdit
  var library: LibraryID

  var key: EntityKey { edit.key }
}
