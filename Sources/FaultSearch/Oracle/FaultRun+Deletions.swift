import CacheModel
import NormalizedCache

/// What was deleted, against whoever tells late that it was there.
extension FaultRun {
  /// Nothing that the store knew as deleted before the step is there in a version that the deletion
  /// took away, whether or not it is called fresh.
  mutating func checkDeletions() {
    for (key, deletion) in deletions {
      guard let entity = store.confirmedEntity(key), entity.version <= deletion else { continue }
      diverge(
        .staysDeleted, about: Oracle.name(key),
        expected: "none, or a version after \(deletion.clock)", found: Oracle.name(entity))
    }
    deletions = store.deletions
  }
}
