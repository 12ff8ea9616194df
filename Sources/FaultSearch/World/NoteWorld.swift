package import CacheModel
package import NormalizedCache

/// Two libraries: the first has two sources, each with its own notes and stream.
package struct NoteWorld: Sendable {
  /// The servers.
  ///
  /// The first two belong to one library; its fetches are read at the first one's position.
  package var servers = [
    NoteServer(), NoteServer(source: 1), NoteServer(library: .other, ownNumbers: 2_000),
  ]

  package var replicas: [NoteServer?] = [nil, nil, nil]

  package let rules: NoteRules

  package init(_ shapes: [NoteShape] = []) {
    rules = NoteRules(shapes)
    for index in servers.indices {
      servers[index].repeatsRows = true
      servers[index].rules = rules
    }
    servers[1].type = NoteSchema.taskType
  }

  /// Returns the possible numbers of a server's notes; they are disjoint.
  package static func numbers(of server: Int) -> Range<Int> {
    server * 100..<server * 100 + [10, 4, 6][server]
  }

  package static func library(of key: EntityKey) -> LibraryID {
    (200...1_000).contains(key.id.low) || key.id.low > 2_000 ? .other : .test
  }

  /// Returns the true value of a note; `nil` if it does not exist.
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

  /// Returns the answer of a stale replica; `nil` if there is none.
  ///
  /// Only data from the stream of the answer's position is stale: others' staleness could not be detected.
  package func staleAnswer(_ target: FetchTarget) -> FetchResponse<Note>? {
    let server = Self.server(of: target)
    guard let replica = replicas[server] else { return nil }
    var world = self
    world.servers[server] = replica
    return world.answer(target)
  }

  package func answer(_ reconcile: NoteReconcile) -> ReconcileResponse<Note> {
    let server = servers.first { $0.stream == reconcile.stream } ?? servers[0]
    return server.answer(reconcile.form, after: reconcile.after)
  }
}

extension NoteWorld {
  package static let queries: [QueryKey] = [LibraryID.test, .other].flatMap { library in
    [
      NoteQuery.folder(0), .folder(1), .folder(2), .starred(limit: 1), .starred(limit: 3),
      .starred(limit: 4), .starred(limit: 7), .starred(limit: 100), .opaque, .live,
    ].map { $0.key(in: library) }
  }

  /// The limit of the longest list that may have more rows after it: longer ones have every note.
  package static let longestWindow = 7

  package static let notes: [Int] = (0..<3).flatMap { Array(numbers(of: $0)) }

  package static func server(of number: Int) -> Int { min(number / 100, 2) }

  package static func server(of target: FetchTarget) -> Int {
    let library =
      switch target {
      case .query(let key): key.library
      case .entity(let key): library(of: key)
      }
    return library == .other ? 2 : 0
  }
}
