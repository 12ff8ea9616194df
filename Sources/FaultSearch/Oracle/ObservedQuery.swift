package import CacheModel
import NormalizedCache

/// A query that somebody observes, and what was seen of it.
package struct ObservedQuery: Sendable {
  package typealias Rows = [VersionedEntity<Note>?]

  package var key: QueryKey
  package var count = 1
  /// The rows when the observers were last told, or first looked.
  var shown: Rows?
  /// Whether changes were pending then.
  var wasOverlaid = false
  /// The rows after the last call.
  var rows: Rows?

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

  /// Whether the rows differ from those shown in more than values that were taken away to make space.
  ///
  /// - Parameters:
  ///   - later: the rows now.
  ///   - isOverlaid: whether changes are pending.
  ///   - lacksValues: whether a confirmed row has lost its value, perhaps one beyond what is shown.
  ///     Under pending changes it may keep others from the places where they would be shown; that is
  ///     told once it is back.
  /// - Returns: whether the observers should have been told.
  func misses(_ later: Rows?, isOverlaid: Bool, lacksValues: Bool) -> Bool {
    guard let shown, let later else { return shown == nil && later != nil }
    if isOverlaid || wasOverlaid, lacksValues { return false }
    guard shown.count == later.count else { return true }
    return zip(shown, later).contains { former, latter in
      guard let latter else { return false }
      return former?.key != latter.key || former?.payload != latter.payload
    }
  }
}
