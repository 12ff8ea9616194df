import CacheModel
import NormalizedCache

/// What a limit may cost, and what it may not.
extension FaultRun {
  /// Nothing exceeds a hard limit, but what has pending edits and the one that was written beside it, and
  /// of memory what nothing can be given up for.
  mutating func checkLimits() {
    guard oracle.keepsLimits else { return }
    let edited = Set(edits.map(\.key)).count
    let spared = isOverlaid ? edited + 1 : 0
    let (residents, weight) = (store.residentEntities, store.residentWeight)
    if let limit = composition.capacity.entities, residents > max(limit, spared) {
      diverge(
        .hardLimitHolds, about: "the store", expected: "at most \(max(limit, spared)) entities",
        found: "\(residents)")
    }
    if let limit = composition.capacity.bytes, weight > limit, !isOverlaid {
      diverge(
        .hardLimitHolds, about: "the store", expected: "at most \(limit) bytes",
        found: "\(weight)")
    }
    // Places for what is edited and for who observes are not refused, and tables do not shrink.
    hasForcedPlaces = hasForcedPlaces || !observers.isEmpty || !store.pendingMutations.isEmpty
    let (queries, memory) = (store.cachedQueries, store.predictedBytes)
    let hasMore =
      !hasForcedPlaces && memory > bytesOfEmptyStore || residents > spared
      || queries > Set(observers.map(\.key)).count
    if let limit = composition.capacity.memory, memory > limit, hasMore {
      diverge(
        .hardLimitHolds, about: "the store", expected: "at most \(limit) bytes of memory",
        found: "\(memory), with \(residents) entities and \(queries) queries")
    }
  }

  /// A list that is up to date but for values has the rows that it should, in order.
  mutating func compareLists(_ library: LibraryID) {
    for key in world.rules.queries
    where key.library == library && store.isListFresh(key, at: now) {
      let rows = (confirmedRows(of: key) ?? []).map(\.key)
      let truth = world.answer(.query(key)).entities.map(\.key)
      if rows != truth {
        diverge(
          .listStays, about: Oracle.name(key), expected: "\(truth.map(\.id.low))",
          found: "\(rows.map(\.id.low))")
      }
    }
  }

  /// Those who waited have every row: of the answer but what is known to be deleted, or of the list as
  /// it has become since.
  mutating func checkAnswered(_ target: FetchTarget, with response: FetchResponse<Note>) {
    guard case .query(let key) = target, !isOverlaid, !response.isNotModified else { return }
    let returned = store.rows(of: target, answeredBy: response).map(\.key)
    let listed = (confirmedRows(of: key) ?? []).map(\.key)
    let deletions = store.deletions
    let answered = response.entities.filter { row in
      !deletions.contains { $0.key == row.key && $0.version >= row.version }
    }.map(\.key)
    if returned != answered, returned != listed {
      diverge(
        .answerIsWhole, about: Oracle.name(key), expected: "\(answered.map(\.id.low))",
        found: "\(returned.map(\.id.low))")
    }
  }
}
