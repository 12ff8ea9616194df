import CacheModel
import EvictionPolicies
import NormalizedCache

/// Checks of limits and their consequences.
extension FaultRun {
  /// Checks that nothing exceeds a hard limit, except entities with pending edits, the entity of the current
  /// call, and memory that nothing evictable occupies.
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
    // Entries for edits and observers are always created, and tables do not shrink.
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

  /// Checks the rows and the order of lists that are fresh except for evicted values.
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

  /// Checks that waiting callers get every row: of the answer without known deletions, or of the present
  /// list.
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

/// Checks of removal on request.
extension FaultRun {
  /// Clears a library, and checks that only entities with pending edits remain, and that no earlier fetch has
  /// an effect.
  mutating func clear(_ library: LibraryID) {
    answers.invalidate(at: calls) { $0.library == library }
    entities.invalidate([], of: library, at: calls)
    store.clear(library, at: now)
    didCall()
    // The store cannot assign an entity without a library to one.
    let kept = edits.map(\.key) + unplaced
    var left: [EntityKey] = []
    store.forEachResident { key, _ in
      if NoteWorld.library(of: key) == library, !kept.contains(key) { left.append(key) }
    }
    if let key = left.first {
      diverge(.clearedIsGone, about: Oracle.name(key), expected: "none", found: "resident")
    }
    for key in world.rules.queries where key.library == library {
      guard let rows = confirmedRows(of: key) else { continue }
      diverge(
        .clearedIsGone, about: Oracle.name(key), expected: "no result",
        found: "[\(rows.map(\.name).joined(separator: ", "))]")
    }
  }

  /// Releases memory, and checks the remaining share, except for observed, tagged or pending data.
  mutating func release(_ percent: Int) {
    let share = Double(percent) / 100
    let most = Int((Double(store.residentEntities) * share).rounded(.down))
    let heaviest = Int((Double(store.residentWeight) * share).rounded(.down))
    hasReleasedMemory = true
    store.releaseMemory(toFraction: share, at: now)
    didCall()
    guard store.residentEntities > most || store.residentWeight > heaviest,
      EvictionPolicies.named(composition.evictionOrder)?.isBounded == true
    else { return }
    let held = (observers.map(\.key) + tagged).flatMap { confirmedRows(of: $0) ?? [] }.map(\.key)
    let kept = Set(held + edits.map(\.key))
    var free: [EntityKey] = []
    store.forEachResident { key, _ in if !kept.contains(key) { free.append(key) } }
    guard let key = free.first else { return }
    let (residents, weight) = (store.residentEntities, store.residentWeight)
    diverge(
      .memoryIsReleased, about: Oracle.name(key),
      expected: "released: at most \(most) entities of \(heaviest) bytes",
      found: "held by nothing, among \(residents) of \(weight) bytes")
  }
}

extension CacheEvent<Note> {
  /// The notes that it adds or removes.
  var keys: [EntityKey] {
    switch self {
    case .changed(let item): [item.key]
    case .batchChanged(let items): items.map(\.key)
    case .deleted(let keys, _): keys
    case .partlyDecoded(let items, _): items.map(\.key)
    case .bulkNotice, .infrastructure: []
    }
  }
}
