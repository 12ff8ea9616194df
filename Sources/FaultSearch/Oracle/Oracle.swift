package import CacheModel
import EvictionPolicies
import NormalizedCache

/// The properties that a policy guarantees, derived from its axes alone, and texts for comparisons.
struct Oracle: Sendable {
  /// Whether members of an observed query are retained.
  let retainsObserved: Bool
  let keepsLimits: Bool
  /// Whether a list may be rejected for lack of space, so that an observed query has no result.
  let declines: Bool
  /// Whether an entity is removed with its last list.
  let dropsUnlisted: Bool
  /// Whether every commit sends its own notifications.
  let notifiesAtOnce: Bool
  /// Whether the cache retains an observed query's entities, so that it can be fresh.
  let holdsObserved: Bool
  let promisesConvergence: Bool
  /// Whether queries are evicted by their last use only, except for expired or cleared ones.
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
    // A hard limit overrides retention; one order has no limit.
    keepsLimits =
      composition.limit == .hard
      && EvictionPolicies.named(composition.evictionOrder)?.isBounded == true
    retainsObserved = retains && (!keepsLimits || isUnlimited)
    dropsUnlisted = [.referenceCount, .referenceCountObserved].contains(composition.retention)
    declines = keepsLimits && capacity.memory != nil
    notifiesAtOnce = composition.coalescingWindow == .zero
    // A list without updates keeps deleted rows, without a value, until the next read.
    holdsObserved =
      !keepsNothing && composition.promisesConvergence && (retainsObserved || isUnlimited)
    promisesConvergence = composition.promisesConvergence
    dropsLeastUsed =
      composition.maximumQueries != nil && capacity.memory == nil && composition.limit == .soft
      && composition.retention != .referenceCountObserved
  }

  /// Returns whether an observed query of this method is fresh when all work is complete: not if it cannot be
  /// cached, or expires, which only a read detects.
  func promisesFreshness(of method: QueryMethod) -> Bool {
    holdsObserved && servedFor(method) == nil
  }

  /// Returns how long after its answer a query of this method may be served as a hit.
  ///
  /// - Returns: `nil` if it never expires.
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

package struct ObservedQuery: Sendable {
  package typealias Rows = [VersionedEntity<Note>?]

  package var key: QueryKey
  package var count = 1
  /// The rows at the observers' last notification, or first read.
  var shown: Rows?
  /// The rows after the last call.
  var rows: Rows?
  /// The rows of a reader that requests incremental updates when notified.
  var read = ReadRows<VersionedEntity<Note>>()
  /// The state that determined the rows at that time.
  var basis: ShownBasis?

  /// Returns rows that had a value after the last call, and have none now.
  func emptied(by later: Rows?) -> [EntityKey] {
    let there = (later ?? []).compactMap { $0?.key }
    return (rows ?? []).compactMap { $0?.key }.filter { !there.contains($0) }
  }

  /// Returns a row that was shown in a newer version than now.
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

  /// Returns whether the observers miss a notification: the rows differ from their last ones in more than
  /// evicted values.
  func misses(_ later: Rows?) -> Bool { Self.differ(shown, later) }

  /// Returns whether rows differ without a cause since the last call, except evicted values.
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

/// The state that determines the rows of a query with pending changes.
struct ShownBasis: Hashable, Sendable {
  var confirmed: [ConfirmedRow]
  var hasMore: Bool
  var edits: [PendingEdit]
  /// The confirmed value of each edit's entity.
  var edited: [Note?]

  /// Returns whether only values of some rows were removed.
  func hasOnlyLostValues(before later: ShownBasis) -> Bool {
    guard edits == later.edits, edited == later.edited, hasMore == later.hasMore,
      confirmed.count == later.confirmed.count
    else { return false }
    return zip(confirmed, later.confirmed).allSatisfy { former, latter in
      former.key == latter.key && (latter.note == nil || latter.note == former.note)
    }
  }
}

struct PendingEdit: Hashable, Sendable {
  var edit: NoteEdit
  var library: LibraryID

  var key: EntityKey { edit.key }
}
