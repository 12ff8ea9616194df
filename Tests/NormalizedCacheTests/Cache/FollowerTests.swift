import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Following one entity, and a whole library", .timeLimit(.minutes(30)))
struct FollowerTests {
  private let host: NoteHost
  private let cache: NoteCache

  init() throws {
    var server = NoteServer()
    for number in 1...3 { server.write((number, Note(folder: 0, title: "\(number)"))) }
    host = NoteHost(server)
    cache = try NoteCache.test(source: host)
  }

  /// Tells the cache of a change at the server, as an event would.
  private func write(_ number: Int, _ title: String) async {
    await host.write((number, Note(folder: 0, title: title)))
    if let last = await host.server.log.last { await cache.receive(last) }
  }

  // MARK: One entity

  @Test("B29 An entity's stream shows its present value, each change, and nothing else")
  func entity() async throws {
    _ = try await cache.query(NoteQuery.folder(0).key())
    var updates = await cache.updates(of: .note(1), in: .test).makeAsyncIterator()
    #expect(await updates.next()??.payload.title == "1")
    await write(2, "other")
    await write(1, "1")
    await write(1, "new")
    #expect(await updates.next()??.payload.title == "new")
    let mutation = NoteMutation(
      token: .mutation(1), library: .test, edits: [.update(.note(1), .title("mine"))])
    await cache.setOnline(false)
    try await cache.enqueue(mutation)
    #expect(await updates.next()??.payload.title == "mine")
    await cache.deleteEntity(.note(1), version: Version(clock: .max, device: 1), library: .test)
    #expect(try #require(await updates.next()) == nil)
  }

  @Test("One that the cache does not have is fetched, and comes when it is there")
  func fetched() async throws {
    var updates = await cache.updates(of: .note(3), in: .test).makeAsyncIterator()
    var titles: [String?] = []
    while titles.last != "3" { titles.append(await updates.next()??.payload.title) }
    #expect(titles.count <= 2)
    #expect(await host.fetchCount == 1)
  }

  @Test("After a fetch that failed there is nothing, until an event brings it")
  func fetchFails() async throws {
    await host.setReachable(false)
    var updates = await cache.updates(of: .note(3), in: .test).makeAsyncIterator()
    #expect(try #require(await updates.next()) == nil)
    try await until { await cache.fetch(of: .entity(.note(3))) == nil }
    await write(3, "event")
    #expect(await updates.next()??.payload.title == "event")
    #expect(await host.fetchCount == 1)
  }

  @Test("B32 A slow reader gets the final state, and whoever leaves is forgotten")
  func slowReader() async throws {
    var updates: AsyncStream<VersionedEntity<Note>?>.Iterator? = await cache.updates(
      of: .note(1), in: .test
    ).makeAsyncIterator()
    try await until { await cache.entity(.note(1)) != nil }
    for number in 0..<100 { await write(1, "title \(number)") }
    #expect(await updates?.next()??.payload.title == "title 99")
    updates = nil
    try await until { await !cache.isFollowed }
  }

  @Test("The streams end with the cache")
  func end() async throws {
    var cache: NoteCache? = try NoteCache.test(source: host)
    let entity = try #require(await cache?.updates(of: .note(1), in: .test))
    let library = try #require(await cache?.changes(in: .test))
    try await until { await host.fetchCount == 1 }
    cache = nil
    for await _ in entity {}
    for await _ in library {}
  }

  // MARK: A library

  @Test("A library's stream names all changes by events, answers, the app and its user")
  func library() async throws {
    var changes = await cache.changes(in: .test).makeAsyncIterator()
    _ = try await cache.query(NoteQuery.folder(0).key())
    #expect(await changes.next()?.entities == [.note(1), .note(2), .note(3)])
    await write(7, "event")
    #expect(await changes.next()?.entities == [.note(7)])
    await cache.deleteEntity(.note(1), version: Version(clock: .max, device: 1), library: .test)
    #expect(await changes.next()?.entities == [.note(1)])
    let mutation = NoteMutation(
      token: .mutation(1), library: .test, edits: [.update(.note(2), .title("mine"))])
    await cache.setOnline(false)
    try await cache.enqueue(mutation)
    let edited = await changes.next()
    #expect(edited?.entities == [.note(2)] && edited?.mayBeAny == false)
    await cache.clear(library: .test)
    #expect(await changes.next()?.mayBeAny == true)
  }

  @Test("A library's stream names what falls with a rejected change")
  func dependents() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    var changes = await cache.changes(in: .test).makeAsyncIterator()
    await cache.setOnline(false)
    let note = Note(folder: 0, title: "new")
    for (number, edits) in [
      [NoteEdit.create(.temporary(1), note)],
      [.update(.temporary(1), .title("newer")), .update(.note(2), .title("mine"))],
    ].enumerated() {
      try await cache.enqueue(
        NoteMutation(token: .mutation(number), library: .test, edits: edits))
      _ = await changes.next()
    }
    await cache.setOnline(true)
    _ = await source.awaitSend()
    await source.answerSend(.failure(MutationRejected(reason: "no")))
    var named: Set<EntityKey> = []
    while !named.contains(.note(2)), let next = await changes.next() {
      named.formUnion(next.entities)
    }
    #expect(named == [.temporary(1), .note(2)])
  }

  @Test("B21 It names nothing of another library")
  func otherLibrary() async throws {
    var changes = await cache.changes(in: .other).makeAsyncIterator()
    await write(1, "event")
    await cache.updateEntity(
      VersionedEntity(
        key: .note(9), version: Version(clock: 1, device: 1), payload: Note(folder: 0, title: "")),
      library: .other)
    #expect(await changes.next()?.entities == [.note(9)])
  }

  @Test("An early event is named again when it takes effect")
  func reordered() async throws {
    var server = NoteServer()
    let cache = try NoteCache.test(source: host)
    await cache.receive(server.write((1, Note(folder: 0, title: "a"))))
    let late = server.write((1, Note(folder: 0, title: "b")))
    let early = server.write((2, Note(folder: 0, title: "c")))
    var changes = await cache.changes(in: .test).makeAsyncIterator()
    await cache.receive(early)
    #expect(await changes.next()?.entities == [.note(2)])
    #expect(await cache.entity(.note(2)) == nil)
    await cache.receive(late)
    #expect(await changes.next()?.entities == [.note(1), .note(2)])
    #expect(await cache.entity(.note(2))?.payload.title == "c")
  }

  @Test("Beyond the most that are named, it may be any")
  func many() async throws {
    var changes = await cache.changes(in: .test).makeAsyncIterator()
    let notes = (0...LibraryChanges.maximumEntities).map { number in
      VersionedEntity(
        key: EntityKey.note(number), version: Version(clock: 1, device: 1),
        payload: Note(folder: 5, title: ""))
    }
    await cache.receive(EventEnvelope(place: nil, event: .batchChanged(notes)), library: .test)
    let all = await changes.next()
    #expect(all?.mayBeAny == true && all?.entities == [])
    await write(1, "later")
    #expect(await changes.next()?.entities == [.note(1)])
  }
}
