import CacheModel
import FaultSearch
import NormalizedCache

/// The rows that a store with pending mutations must show, computed from scratch every time: the confirmed
/// notes, the pending mutations replayed over them, a filter and a sort.
struct OverlayModel {
  /// The newest confirmed version of each note, without deleted notes.
  private var confirmed: [EntityKey: (version: Version, note: Note?)] = [:]
  private(set) var pending: [(mutation: NoteMutation, deadline: Instant?)] = []
  private var keys: [EntityKey: EntityKey] = [:]
  /// The confirmed list of the query whose order only the server knows.
  private var opaqueKeys: [EntityKey] = []

  // MARK: What happens

  mutating func learn(_ entity: VersionedEntity<Note>) {
    if let known = confirmed[entity.key], known.version > entity.version { return }
    if let known = confirmed[entity.key], known.version == entity.version, known.note == nil {
      return
    }
    confirmed[entity.key] = (entity.version, entity.payload)
  }

  mutating func learnDeletion(of key: EntityKey, version: Version) {
    if let known = confirmed[key], known.version > version { return }
    confirmed[key] = (version, nil)
    opaqueKeys.removeAll { $0 == key }
  }

  mutating func receive(_ envelope: EventEnvelope<Note>) {
    if let token = envelope.mutation {
      if let index = index(of: token) {
        clear(at: index)
        rename(envelope.keys)
      } else {
        rename(envelope.keys.filter { pendingKeys.contains($0.key) })
      }
    }
    switch envelope.event {
    case .changed(let item): learn(item)
    case .batchChanged(let items): for item in items { learn(item) }
    case .deleted(let keys, let version):
      for key in keys { learnDeletion(of: key, version: version) }
    case .bulkNotice, .partlyDecoded, .infrastructure: break
    }
  }

  mutating func fetched(_ query: NoteQuery, _ response: FetchResponse<Note>) {
    for entity in response.entities { learn(entity) }
    if query == .opaque { opaqueKeys = response.entities.map(\.key) }
  }

  mutating func begin(_ mutation: NoteMutation, deadline: Instant?) {
    var mutation = mutation
    mutation.edits = mutation.edits.map { Self.renamed($0, keys) }
    pending.append((mutation, deadline))
  }

  mutating func commit(_ token: MutationToken, _ response: MutationResponse<Note>) {
    guard let index = index(of: token) else { return }
    pending.remove(at: index)
    rename(response.keys)
    for entity in response.changed { learn(entity) }
    for (key, version) in response.deleted { learnDeletion(of: key, version: version) }
  }

  mutating func rollBack(_ token: MutationToken) {
    pending.removeAll { $0.mutation.token == token }
  }

  mutating func advance(to now: Instant) {
    for index in pending.indices {
      if let deadline = pending[index].deadline, deadline <= now { clear(at: index) }
    }
  }

  private func index(of token: MutationToken) -> Int? {
    pending.firstIndex { $0.mutation.token == token }
  }

  private mutating func clear(at index: Int) {
    pending[index].mutation.edits = []
    pending[index].deadline = nil
  }

  private mutating func rename(_ names: [EntityKey: EntityKey]) {
    keys.merge(names) { $1 }
    for index in pending.indices {
      pending[index].mutation.edits = pending[index].mutation.edits.map {
        Self.renamed($0, names)
      }
    }
  }

  private static func renamed(
    _ edit: NoteMutation.Edit, _ keys: [EntityKey: EntityKey]
  ) -> NoteMutation.Edit {
    guard let key = keys[edit.key] else { return edit }
    return switch edit {
    case .create(_, let note): .create(key, note)
    case .update(_, let change): .update(key, change)
    case .delete: .delete(key)
    }
  }

  // MARK: What is shown

  struct Row: Hashable {
    var key: EntityKey
    var note: Note
  }

  /// Every note as it is shown.
  var shown: [EntityKey: Note] {
    var notes = confirmed.compactMapValues(\.note)
    for edit in pending.flatMap(\.mutation.edits) {
      switch edit {
      case .create(let key, let note): notes[key] = notes[key] ?? note
      case .update(let key, let change): notes[key] = notes[key].map(change.applied)
      case .delete(let key): notes[key] = nil
      }
    }
    return notes
  }

  var pendingKeys: Set<EntityKey> { Set(pending.flatMap(\.mutation.edits).map(\.key)) }

  /// The rows that a query may show: one list, but for a window, of which a cache need not know
  /// whether there are more rows behind it.
  func rows(of query: NoteQuery) -> Set<[Row]> {
    let shown = shown
    switch query {
    case .opaque:
      return [opaqueKeys.compactMap { key in shown[key].map { Row(key: key, note: $0) } }]
    case .folder, .live, .declared, .starred(limit: 100):
      return [sorted(shown.filter { query.lists($0.value) ?? false })]
    case .starred(let limit):
      let all = sorted(confirmed.compactMapValues(\.note).filter(\.value.isStarred))
      return [
        window(Array(all.prefix(limit)), limit: limit, hasMore: true, shown),
        window(Array(all.prefix(limit)), limit: limit, hasMore: false, shown),
      ]
    }
  }

  /// A window on the starred notes: the row after its last confirmed row is known only where
  /// there is nothing more.
  private func window(
    _ confirmed: [Row], limit: Int, hasMore: Bool, _ shown: [EntityKey: Note]
  ) -> [Row] {
    let listed = Set(confirmed.map(\.key))
    var rows: [(place: Row, shown: Row)] = []
    for (key, note) in shown where note.isStarred {
      let row = Row(key: key, note: note)
      let isKnown = !hasMore || confirmed.last.map { precedes(row, $0) } ?? false
      let former = confirmed.first { $0.key == key }
      if let former, former.note.title == note.title {
        rows.append((former, row))
      } else if isKnown, listed.contains(key) || pendingKeys.contains(key) {
        rows.append((row, row))
      }
    }
    return rows.sorted { precedes($0.place, $1.place) }.prefix(limit).map(\.shown)
  }

  private func sorted(_ notes: [EntityKey: Note]) -> [Row] {
    notes.map { Row(key: $0.key, note: $0.value) }.sorted(by: precedes)
  }

  private func precedes(_ lhs: Row, _ rhs: Row) -> Bool {
    lhs.note.title != rhs.note.title ? lhs.note.title < rhs.note.title : lhs.key < rhs.key
  }
}

extension NoteServer {
  /// Notes 1, 2, 3 … in folder 0, starred, with the letters of a text as titles.
  static func titled(_ titles: String) -> NoteServer {
    var server = NoteServer()
    for (index, title) in titles.enumerated() {
      server.write((index + 1, Note(folder: 0, title: "\(title)", isStarred: true)))
    }
    return server
  }
}
