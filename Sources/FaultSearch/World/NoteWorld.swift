package import CacheModel
package import NormalizedCache

/// Two libraries: the first has two sources, each with notes and a stream of its own.
package struct NoteWorld: Sendable {
  /// The first two are of one library; fetches for it are read at the place of the first.
  package var servers = [
    NoteServer(), NoteServer(source: 1), NoteServer(library: .other, ownNumbers: 2_000),
  ]

  package init() {
    for index in servers.indices { servers[index].repeatsRows = true }
  }

  /// The numbers of the notes that a server may have; distinct for each.
  package static func numbers(of server: Int) -> Range<Int> {
    server * 100..<server * 100 + [10, 4, 6][server]
  }

  /// The library of a note.
  package static func library(of key: EntityKey) -> LibraryID {
    (200...1_000).contains(key.id.low) || key.id.low > 2_000 ? .other : .test
  }

  /// What is true of a note; `nil` where there is none.
  package func note(_ key: EntityKey) -> Note? {
    servers.lazy.compactMap { $0.notes[key]?.payload }.first
  }

  package func answer(_ target: FetchTarget) -> FetchResponse<Note> {
    switch target {
    case .query(let key):
      return key.library == .other
        ? servers[2].answer(key) : servers[0].answer(key, beside: servers[1].notes)
    case .entity(let key):
      let entities = servers.compactMap { $0.notes[key] }
      let place = servers[Self.library(of: key) == .other ? 2 : 0].place
      return FetchResponse(entities: entities, hasMore: false, place: place)
    }
  }

  package func answer(_ reconcile: NoteReconcile) -> ReconcileResponse<Note> {
    let server = servers.first { $0.stream == reconcile.stream } ?? servers[0]
    return server.answer(reconcile.form, after: reconcile.after)
  }
}
