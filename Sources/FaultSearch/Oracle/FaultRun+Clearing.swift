import CacheModel
import EvictionPolicies
import NormalizedCache

/// What the app lets go of, and what must stay.
extension FaultRun {
  /// Clears a library: nothing of it is left but what has pending edits, and nothing that was asked for
  /// before is shown after.
  mutating func clear(_ library: LibraryID) {
    answers.invalidate(at: calls) { $0.library == library }
    entities.invalidate([], of: library, at: calls)
    store.clear(library, at: now)
    didCall()
    // What came without its library belongs to none, as far as the store can tell.
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

  /// Releases memory: no more than the share is left, but for what is observed, tagged or pending.
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
  /// The notes that it brings or takes away.
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
