import CacheModel
import NormalizedCache

/// What an answer of summaries may not take away.
extension FaultRun {
  /// The notes of which an answer has a summary, and the cache the whole, in the same version.
  func wholes(inVersionsOf response: FetchResponse<Note>) -> [VersionedEntity<Note>] {
    response.entities.filter(\.payload.isSummary).compactMap { row in
      guard let held = store.confirmedEntity(row.key), held.version == row.version,
        !held.payload.isSummary
      else { return nil }
      return held
    }
  }

  /// Of each of them the cache has the whole still, unless something had to make space.
  mutating func checkWholes(_ wholes: [VersionedEntity<Note>]) {
    guard store.statistics.evictions == evictionsBefore, !oracle.dropsUnlisted else { return }
    for whole in wholes {
      guard let held = store.confirmedEntity(whole.key), held.version == whole.version,
        held.payload.isSummary
      else { continue }
      diverge(
        .wholeStays, about: Oracle.name(whole.key), expected: Oracle.name(whole),
        found: Oracle.name(held))
    }
  }
}
