import CacheModel
import SyncStack

/// What a listing shows of a file: all that a frame takes out of the cache.
struct DrawnRow: Sendable {
  var name: String
  var size: Int64

  init(_ key: EntityKey, _ version: Version, _ file: FilePayload) {
    name = file.name
    size = file.size
  }
}
