import CacheModel
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
  /// - Parameters:
  ///   - method: the query's method.
  ///   - isExpired: whether the hit says that it has expired, and is asked for anew.
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
