import CacheModel
import NormalizedCache

/// Which entities were invalidated by the app, and not asked for since: none of them is fresh.
struct EntityLedger: Sendable {
  /// The call of the last invalidation, by entity.
  private var invalidated: [(key: EntityKey, call: Int)] = []
  /// The call of the last invalidation of each library.
  private var libraries: [LibraryID: Int] = [:]

  /// The entities in question, in the order in which they were invalidated.
  var listed: [EntityKey] { invalidated.map(\.key) }

  /// The call in which a library was last invalidated; 0: never.
  func lastInvalidation(of library: LibraryID) -> Int { libraries[library] ?? 0 }

  mutating func invalidate(_ keys: [EntityKey], of library: LibraryID, at call: Int) {
    libraries[library] = call
    invalidated.removeAll { keys.contains($0.key) }
    invalidated += keys.map { ($0, call) }
  }

  /// An answer brought entities to a fetch that began in a call.
  mutating func answer(_ keys: [EntityKey], asked call: Int) {
    invalidated.removeAll { $0.call < call && keys.contains($0.key) }
  }

  /// The app knows better, or the cache has forgotten them.
  mutating func forget(where isForgotten: (EntityKey) -> Bool) {
    invalidated.removeAll { isForgotten($0.key) }
  }
}
