import CacheModel
import NormalizedCache

/// What the store holds, against the servers.
extension FaultRun {
  /// What must hold after every step: counts agree, and where the client has followed every stream of
  /// a library to its end, what it calls fresh is the truth.
  mutating func checkState() {
    checkCounts()
    guard divergence == nil else { return }
    checkDeletions()
    checkInvalidated()
    checkLimits()
    checkOutbox()
    checkOverlay()
    guard oracle.promisesConvergence else { return }
    for library in [LibraryID.test, .other] where hasCaughtUp(library) { compare(library) }
  }

  mutating func checkCounts() {
    guard let failure = store.invariantFailure() else { return }
    diverge(.countsAgree, about: "the store", expected: "sound counts", found: failure)
  }

  private func hasCaughtUp(_ library: LibraryID) -> Bool {
    world.servers.allSatisfy {
      $0.stream.library != library || store.cursor(of: $0.stream) == $0.place.position
    }
  }

  private mutating func compare(_ library: LibraryID) {
    for key in world.rules.queries
    where key.library == library && store.isFresh(key, at: now) {
      let rows = confirmedRows(of: key) ?? []
      let truth = world.answer(.query(key)).entities
      let isTrue =
        rows.count == truth.count
        && zip(rows, truth).allSatisfy { $0.key == $1.key && $0.note == $1.payload.content }
      if !isTrue {
        diverge(
          .queryEqualsTruth, about: Oracle.name(key), expected: Oracle.name(truth),
          found: "[\(rows.map(\.name).joined(separator: ", "))]")
      }
    }
    compareLists(library)
    compareResidents(library)
  }

  private mutating func compareResidents(_ library: LibraryID) {
    var residents: [ConfirmedRow] = []
    store.forEachResident { residents.append(ConfirmedRow(key: $0, note: $1)) }
    for row in residents
    where NoteWorld.library(of: row.key) == library && store.isFresh(row.key, at: now) {
      let truth = world.note(row.key)
      if row.note != truth {
        diverge(
          .entityEqualsTruth, about: Oracle.name(row.key), expected: Oracle.name(truth),
          found: Oracle.name(row.note))
      }
    }
  }

  /// What must hold once faults have ended and everything has been answered.
  mutating func checkRest() {
    guard divergence == nil else { return }
    for server in world.servers {
      let cursor = store.cursor(of: server.stream)
      if cursor != server.place.position {
        diverge(
          .cursorArrives, about: "\(server.stream)", expected: "\(server.place.position)",
          found: cursor.map { "\($0)" } ?? "none")
      }
    }
    checkState()
    for observer in observers { checkServed(observer) }
  }

  private mutating func checkServed(_ observer: ObservedQuery) {
    let rows = store.rows(of: observer.key)
    // A row for which there was no space is fetched again when somebody reads, not before.
    let capacity = store.composition.capacity
    let isLimited = capacity.entities != nil || capacity.bytes != nil || capacity.memory != nil
    let lacksSpace =
      (isLimited || hasReleasedMemory)
      && rows?.contains { $0 == nil } ?? false
    let canBeFresh = oracle.promisesFreshness(of: observer.key.method) && !lacksSpace
    if rows == nil, oracle.declines { return }
    if rows == nil || canBeFresh && !store.isFresh(observer.key, at: now) {
      diverge(
        .observedIsServed, about: Oracle.name(observer.key),
        expected: canBeFresh ? "a fresh result" : "a result",
        found: rows == nil ? "none" : "stale \(Oracle.name(rows))")
    }
  }

  /// Once no notification is postponed any more, everybody has been told of everything.
  mutating func checkNotified() {
    for observer in observers {
      let rows = store.rows(of: observer.key)
      guard observer.misses(rows) else { continue }
      diverge(
        .notified, about: Oracle.name(observer.key),
        expected: "a notification of \(Oracle.name(rows))",
        found: "none since \(Oracle.name(observer.shown))")
    }
  }
}
