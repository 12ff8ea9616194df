package import CacheModel
import EvictionPolicies
import NormalizedCache

/// What a composition promises, worked out from its axes alone, and words for what is compared.
struct Oracle: Sendable {
  /// Whether members of an observed query stay.
  let retainsObserved: Bool
  /// Whether nothing exceeds a limit.
  let keepsLimits: Bool
  /// Whether a list may find no space, so that an observed query has no result.
  let declines: Bool
  /// Whether an entity goes when no list has it any more.
  let dropsUnlisted: Bool
  /// Whether every commit notifies for itself.
  let notifiesAtOnce: Bool
  /// Whether the cache holds what an observed query lists, so that it can be fresh.
  let holdsObserved: Bool
  let promisesConvergence: Bool
  /// Whether queries leave by their last use alone, but for those that have expired or were cleared.
  let dropsLeastUsed: Bool
  let composition: CachePolicy

  init(_ composition: CachePolicy) {
    self.composition = composition
    let capacity = composition.capacity
    let retains =
      switch composition.retention {
      case .observed, .cached, .referenceCount, .referenceCountObserved: true
      case .none, .tags: false
      }
    let isUnlimited = capacity.entities == nil && capacity.bytes == nil && capacity.memory == nil
    let keepsNothing =
      [capacity.entities, capacity.bytes, capacity.memory].contains(0)
    // Under a hard limit what is retained gives way; one order knows no limit.
    keepsLimits =
      composition.limit == .hard
      && EvictionPolicies.named(composition.evictionOrder)?.isBounded == true
    retainsObserved = retains && (!keepsLimits || isUnlimited)
    dropsUnlisted = [.referenceCount, .referenceCountObserved].contains(composition.retention)
    declines = keepsLimits && capacity.memory != nil
    notifiesAtOnce = composition.coalescingWindow == .zero
    // A blind list keeps what was deleted, without a value, until somebody reads it.
    holdsObserved =
      !keepsNothing && composition.promisesConvergence && (retainsObserved || isUnlimited)
    promisesConvergence = composition.promisesConvergence
    dropsLeastUsed =
      composition.maximumQueries != nil && capacity.memory == nil && composition.limit == .soft
      && composition.retention != .referenceCountObserved
  }

  /// Whether an observed query of this method is fresh once everything has come to rest: not where it
  /// cannot be held, nor where it expires, which is not seen to before it is read.
  func promisesFreshness(of method: QueryMethod) -> Bool {
    holdsObserved && servedFor(method) == nil
  }

  /// For how long after its answer a query of this method may be served as a hit.
  ///
  /// - Returns: `nil` where it never expires.
  func servedFor(_ method: QueryMethod, isExpired: Bool = false) -> Duration? {
    let freshness = composition.freshness
    guard let lifetime = freshness.perMethod[method] ?? freshness.timeToLive else { return nil }
    return isExpired ? lifetime + freshness.staleWhileRevalidate : lifetime
  }

  // MARK: Words

  static func name(_ key: QueryKey) -> String { QueryName.text(key) }

  static func name(_ key: EntityKey) -> String { "note \(key.id.low)" }

  static func name(_ entity: VersionedEntity<Note>) -> String {
    "\(entity.key.id.low)@\(entity.version.clock) \(name(entity.payload))"
  }

  static func name(_ note: Note?) -> String {
    note.map { NoteText.text($0) + ($0.isSummary ? " in short" : "") } ?? "none"
  }

  static func name(_ rows: [VersionedEntity<Note>?]?) -> String {
    guard let rows else { return "no result" }
    return "[\(rows.map { $0.map(name) ?? "missing" }.joined(separator: ", "))]"
  }
}

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
