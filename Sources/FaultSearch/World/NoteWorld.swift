package import CacheModel
package import NormalizedCache

/// Two libraries: the first has two sources, each with notes and a stream of its own.
package struct NoteWorld: Sendable {
  /// The first two are of one library; fetches for it are read at the place of the first.
  package var servers = [
    NoteServer(), NoteServer(source: 1), NoteServer(library: .other, ownNumbers: 2_000),
  ]

  /// Copies of servers that have fallen behind.
  package var replicas: [NoteServer?] = [nil, nil, nil]

  /// What may be asked, and what it lists.
  package let rules: NoteRules

  package init(_ shapes: [NoteShape] = []) {
    rules = NoteRules(shapes)
    for index in servers.indices {
      servers[index].repeatsRows = true
      servers[index].rules = rules
    }
    servers[1].type = NoteSchema.taskType
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

  /// What a replica answers that has fallen behind; `nil` where there is none.
  ///
  /// Behind is only what its place speaks of: that cannot be told of notes of another source.
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
  /// Every query that the note app itself may ask.
  package static let queries: [QueryKey] = [LibraryID.test, .other].flatMap { library in
    [
      NoteQuery.folder(0), .folder(1), .folder(2), .starred(limit: 1), .starred(limit: 3),
      .starred(limit: 4), .starred(limit: 7), .starred(limit: 100), .opaque, .live,
    ].map { $0.key(in: library) }
  }

  /// The limit of the longest list that may have more rows behind it: longer ones hold every note.
  package static let longestWindow = 7

  /// Every note that there may be.
  package static let notes: [Int] = (0..<3).flatMap { Array(numbers(of: $0)) }

  /// The server that a note belongs to.
  package static func server(of number: Int) -> Int { min(number / 100, 2) }

  /// The server that answers fetches of a target.
  package static func server(of target: FetchTarget) -> Int {
    let library =
      switch target {
      case .query(let key): key.library
      case .entity(let key): library(of: key)
      }
    return library == .other ? 2 : 0
  }
}
