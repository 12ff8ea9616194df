public import CacheModel

/// What may have changed in a library since its reader looked last: see
/// ``NormalizedCache/changes(in:)``.
public struct LibraryChanges: Hashable, Sendable {
  /// Entities that were written, edited, taken back or deleted.
  ///
  /// One may be named whose value is as it was: an event that told nothing new names it too.
  public internal(set) var entities: Set<EntityKey> = []
  /// Whether anything else may have changed too: more than ``maximumEntities``, or what the server did not
  /// name.
  public internal(set) var mayBeAny = false

  /// The most that are named.
  public static let maximumEntities = 10_000

  init() {}

  var isEmpty: Bool { entities.isEmpty && !mayBeAny }

  mutating func formUnion(_ other: LibraryChanges) {
    entities.formUnion(other.entities)
    mayBeAny = mayBeAny || other.mayBeAny
    guard entities.count > Self.maximumEntities else { return }
    entities = []
    mayBeAny = true
  }
}
