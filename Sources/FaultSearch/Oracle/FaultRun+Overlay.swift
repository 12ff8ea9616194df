import CacheModel
import NormalizedCache

/// What is shown while changes are pending: the confirmed state with what remains of them on top.
extension FaultRun {
  /// What a confirmed value shows with edits on top, replayed in order.
  private static func replay(_ edits: [PendingEdit], on confirmed: Note?) -> Note? {
    var shown = confirmed
    for pending in edits {
      switch pending.edit {
      case .create(_, let note): shown = shown ?? note
      case .change(_, let change): shown = shown.map { change.applied(to: $0) }
      case .delete: shown = nil
      }
    }
    return shown
  }

  /// Every edited entity, and every row of one, shows the confirmed value with its edits on top, and
  /// stands in the lists where that belongs.
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

  /// Whether every pending row has a place in a list: one that is no window, and that the cache patches.
  private func knowsPlaces(in key: QueryKey) -> Bool {
    guard composition.membership == .patch else { return false }
    let query = NoteQuery(key)
    return query != .opaque && query != .live
      && world.rules.limit(of: query) ?? .max > NoteWorld.longestWindow
  }

  var isOverlaid: Bool { !edits.isEmpty }

  /// Notes the edits of everything that is pending, in order.
  mutating func notePendingEdits() {
    let pending = store.pendingMutations
    if edits.isEmpty, pending.isEmpty { return }
    edits = pending.compactMap { store.pendingMutation($0) }.flatMap { mutation in
      mutation.edits.map { PendingEdit(edit: NoteEdit($0), library: mutation.library) }
    }
  }

  /// What a query's rows hang on now; `nil` where nothing is pending, or it has no result.
  func shownBasis(of key: QueryKey) -> ShownBasis? {
    guard isOverlaid, let confirmed = confirmedRows(of: key) else { return nil }
    return ShownBasis(
      confirmed: confirmed, hasMore: store.hasMore(key), edits: edits,
      edited: edits.map { store.confirmedEntity($0.key)?.payload })
  }

  /// A query's confirmed rows; `nil` where it has no result.
  ///
  /// A summary is no value of one that shows more.
  func confirmedRows(of key: QueryKey) -> [ConfirmedRow]? {
    let showsSummaries = world.rules.showsSummaries(NoteQuery(key))
    return store.members(of: key)?.map { slot in
      let note = store.payload(of: slot)
      let isEnough = note?.isSummary == false || showsSummaries
      return ConfirmedRow(key: store.key(of: slot), note: isEnough ? note?.content : nil)
    }
  }
}

/// A row of a list as the server confirmed it.
struct ConfirmedRow: Hashable {
  var key: EntityKey
  var note: Note?

  var name: String { "\(key.id.low) \(Oracle.name(note))" }
}
