import CacheModel
import NormalizedCache

/// Compares the store with the servers.
extension FaultRun {
  /// Checks the properties after every step: counts are consistent, and fresh data equals the servers if the
  /// client has followed every stream of the library to its end.
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

  /// Checks the properties after the end of faults, when all requests are answered.
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
    // A row without space is fetched again by the next read, not before.
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

  /// Checks that all changes were notified, once no notification is delayed.
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

/// Checks of pending changes: the confirmed state with the remaining changes on top.
extension FaultRun {
  /// Returns a confirmed value with edits applied in order.
  private static func replay(_ edits: [PendingEdit], on confirmed: Note?) -> Note? {
    var shown = confirmed
    for pending in edits {
      switch pending.edit {
      case .create(_, let note): shown = shown ?? note
      case .update(_, let change): shown = shown.map { change.applied(to: $0) }
      case .delete: shown = nil
      }
    }
    return shown
  }

  /// Checks that every edited entity, and every row of one, shows the confirmed value with its edits, and has
  /// the corresponding index in lists.
  mutating func checkOverlay() {
    guard isOverlaid else { return }
    var confirmed: [EntityKey: Note] = [:]
    store.forEachResident { key, note in confirmed[key] = note }
    var expected: [(first: PendingEdit, note: Note?, whole: Note?)] = []
    for edit in edits where !expected.contains(where: { $0.first.key == edit.key }) {
      let own = edits.filter { $0.key == edit.key }
      let note = Self.replay(own, on: confirmed[edit.key])
      let isWhole = confirmed[edit.key]?.isSummary == false
      expected.append((edit, note, Self.replay(own, on: isWhole ? confirmed[edit.key] : nil)))
      let shown = store.peek(edit.key)?.payload
      if shown != note {
        diverge(
          .overlayReplays, about: Oracle.name(edit.key), expected: Oracle.name(note),
          found: Oracle.name(shown))
      }
    }
    for observer in observers {
      guard let rows = observer.rows else { continue }
      let showsSummaries = world.rules.showsSummaries(NoteQuery(observer.key))
      for (edit, note, whole) in expected {
        checkRow(of: edit, showing: showsSummaries ? note : whole, in: observer.key, rows)
      }
      checkOrder(of: rows, in: observer.key)
    }
  }

  private mutating func checkRow(
    of edit: PendingEdit, showing note: Note?, in key: QueryKey, _ rows: ObservedQuery.Rows
  ) {
    let shown = rows.compactMap { $0 }.filter { $0.key == edit.key }
    if let row = shown.first(where: { $0.payload != note }) {
      diverge(
        .overlayReplays, about: Oracle.name(key), expected: Oracle.name(note),
        found: Oracle.name(row))
    }
    guard edit.library == key.library, knowsPlaces(in: key) else { return }
    let belongs = note.flatMap { world.rules.lists($0, at: edit.key, in: NoteQuery(key)) } ?? false
    if shown.count != (belongs ? 1 : 0) {
      diverge(
        .overlayReplays, about: Oracle.name(key),
        expected: "\(Oracle.name(edit.key)) \(belongs ? "once" : "not")",
        found: Oracle.name(rows))
    }
  }

  private mutating func checkOrder(of rows: ObservedQuery.Rows, in key: QueryKey) {
    guard knowsPlaces(in: key), store.isFresh(key, at: now) else { return }
    let rules = world.rules
    let values = rows.compactMap { $0 }
    let isInOrder = zip(values, values.dropFirst()).allSatisfy {
      rules.precedes($0.payload, key: $0.key, $1.payload, key: $1.key, in: NoteQuery(key))
    }
    if !isInOrder {
      diverge(
        .overlayReplays, about: Oracle.name(key), expected: "rows in order",
        found: Oracle.name(rows))
    }
  }

  /// Returns whether the index of pending rows in a list is known: for a list without a window that the cache
  /// updates in place.
  private func knowsPlaces(in key: QueryKey) -> Bool {
    guard composition.membership == .patch else { return false }
    let query = NoteQuery(key)
    return query != .opaque && query != .live
      && world.rules.limit(of: query) ?? .max > NoteWorld.longestWindow
  }

  var isOverlaid: Bool { !edits.isEmpty }

  /// Notes all pending edits, in order.
  mutating func notePendingEdits() {
    let pending = store.pendingMutations
    if edits.isEmpty, pending.isEmpty { return }
    edits = pending.compactMap { store.pendingMutation($0) }.flatMap { mutation in
      mutation.edits.map { PendingEdit(edit: $0, library: mutation.library) }
    }
  }

  /// Returns the state that determines a query's rows; `nil` without pending changes or a result.
  func shownBasis(of key: QueryKey) -> ShownBasis? {
    guard isOverlaid, let confirmed = confirmedRows(of: key) else { return nil }
    return ShownBasis(
      confirmed: confirmed, hasMore: store.hasMore(key), edits: edits,
      edited: edits.map { store.confirmedEntity($0.key)?.payload })
  }

  /// Returns a query's confirmed rows; `nil` without a result.
  ///
  /// A summary is not a value for a query with more detail.
  func confirmedRows(of key: QueryKey) -> [ConfirmedRow]? {
    let showsSummaries = world.rules.showsSummaries(NoteQuery(key))
    return store.members(of: key)?.map { slot in
      let note = store.payload(of: slot)
      let isEnough = note?.isSummary == false || showsSummaries
      return ConfirmedRow(key: store.key(of: slot), note: isEnough ? note?.content : nil)
    }
  }
}

struct ConfirmedRow: Hashable {
  var key: EntityKey
  var note: Note?

  var name: String { "\(key.id.low) \(Oracle.name(note))" }
}
