import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Batches by origin")
struct BatchRuleTests {
  private let folder = NoteQuery.folder(0)
  private let other = NoteQuery.folder(1)
  private let starred = NoteQuery.starred(limit: 10)

  /// A cache with the lists of two folders and of starred notes, all fresh.
  private func loaded(
    _ rules: [EventOrigin: BatchRule], _ server: inout NoteServer
  ) throws -> NoteClient {
    server.write(
      (1, Note(folder: 0, title: "b", isStarred: true)), (2, Note(folder: 1, title: "d")))
    var composition = CachePolicy.test()
    composition.batchRules = rules
    var client = try NoteClient(composition)
    for query in [folder, other, starred] { _ = client.load(query, from: server) }
    return client
  }

  /// A batch that enters one note into the first folder, and one into none that is listed.
  private func batch(
    of origin: EventOrigin?, first number: Int, _ server: inout NoteServer
  ) -> NoteServer.Envelope {
    let items = server.change([
      (.note(number), Note(folder: 0, title: "c")),
      (.note(number + 1), Note(folder: 5, title: "unseen")),
    ])
    return server.publish(.batchChanged(items), origin: origin)
  }

  @Test(
    "A batch of another origin, or of none, is as any event",
    arguments: [nil, EventOrigin.watcher, .user])
  func others(origin: EventOrigin?) throws {
    var server = NoteServer()
    var client = try loaded(
      [
        .index: BatchRule(
          admission: .updateOnly, membership: .markStale,
          staleMethods: [NoteQuery.folderMethod])
      ], &server)
    client.receive(batch(of: origin, first: 7, &server))
    #expect(client.rows(of: folder) == [1, 7])
    #expect(client.residents == [1, 2, 7, 8])
    for query in [folder, other, starred] { #expect(client.isFresh(query) == true) }
  }

  @Test("Their own admission keeps out entities that only such a batch brings, and ends with it")
  func admission() throws {
    var server = NoteServer()
    var client = try loaded([.index: BatchRule(admission: .updateOnly)], &server)
    client.receive(batch(of: .index, first: 7, &server))
    #expect(client.rows(of: folder) == [1, 7])
    #expect(client.residents == [1, 2, 7], "8 is in no list")
    client.receive(server.write((9, Note(folder: 5, title: "by itself"))))
    #expect(client.residents == [1, 2, 7, 9])
  }

  @Test("Entities of such a batch are on probation, and no others")
  func probation() throws {
    var server = NoteServer()
    var client = try loaded([.index: BatchRule(admission: .probation)], &server)
    client.receive(batch(of: .index, first: 7, &server))
    client.receive(batch(of: .watcher, first: 17, &server))
    #expect(client.residents == [1, 2, 7, 8, 17, 18])
  }

  @Test("A membership of their own marks stale the lists that the batch concerns, and no other")
  func membership() throws {
    var server = NoteServer()
    var client = try loaded([.index: BatchRule(membership: .markStale)], &server)
    client.receive(batch(of: .index, first: 7, &server))
    #expect(client.rows(of: folder) == [1])
    #expect(client.isFresh(folder) == false)
    #expect(client.isFresh(other) == true)
    #expect(client.isFresh(starred) == true)
    client.receive(server.write((4, Note(folder: 1, title: "a"))))
    #expect(client.rows(of: other) == [4, 2], "a single change is patched as before")
  }

  @Test("Methods that a batch makes stale are stale as a whole, patched as they are")
  func staleMethods() throws {
    var server = NoteServer()
    var client = try loaded(
      [.index: BatchRule(staleMethods: [NoteQuery.folderMethod])], &server)
    client.receive(batch(of: .index, first: 7, &server))
    #expect(client.rows(of: folder) == [1, 7])
    #expect(client.isFresh(folder) == false)
    #expect(client.isFresh(other) == false, "it was not touched, and is not asked about")
    #expect(client.isFresh(starred) == true)
    #expect(client.isFresh(.note(1)) == true, "a method says nothing of entities")
    _ = client.load(folder, from: server)
    #expect(client.isFresh(folder) == true)
  }

  @Test("An answer that was read before the batch leaves a list stale, a later one does not")
  func inFlight() throws {
    var server = NoteServer()
    var client = try loaded(
      [.index: BatchRule(staleMethods: [NoteQuery.folderMethod])], &server)
    client.store.invalidate(folder.key(), at: client.now)
    client.read(folder)
    let fetch = client.takeFetch()
    let early = server.answer(fetch.target)
    client.receive(batch(of: .index, first: 7, &server))
    client.complete(fetch.id, with: early)
    #expect(client.rows(of: folder) == [1, 7], "what the answer has missed is put in")
    #expect(client.isFresh(folder) == false)
    _ = client.load(folder, from: server)
    #expect(client.isFresh(folder) == true)
  }
}

@Suite("Items that cannot be decoded")
struct UndecodableTests {
  /// Folder 0 lists the notes 1 and 2, folder 1 lists note 3; both are observed.
  private static func client(of server: inout NoteServer) throws -> NoteClient {
    server.write(
      (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")),
      (3, Note(folder: 1, title: "c")))
    var client = try NoteClient()
    client.observe(.folder(0), from: server)
    client.observe(.folder(1), from: server)
    return client
  }

  private static func note(_ number: Int, _ note: Note, clock: UInt64) -> VersionedEntity<Note> {
    VersionedEntity(key: .note(number), version: Version(clock: clock, device: 1), payload: note)
  }

  private static func item(_ number: Int?) -> UndecodableItem {
    UndecodableItem(type: NoteSchema.noteType, id: number.map { EntityKey.note($0).id })
  }

  @Test("B41 An item that cannot be decoded costs itself and the lists that hold it")
  func known() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    let event = server.publish(
      .partlyDecoded(
        [Self.note(3, Note(folder: 1, title: "new"), clock: 90)],
        undecodable: [Self.item(1), Self.item(77)]))
    client.receive(event)
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(client.store.peek(.note(3))?.payload.title == "new")
    #expect(client.store.statistics.itemsUndecodable == 2)
    #expect(client.fetches.map(\.target) == [.query(NoteQuery.folder(0).key())])
    #expect(client.rows(of: .folder(0)) == [1, 2], "the data stays")
    #expect(client.isFresh(.note(1)) == false)
    #expect(client.isFresh(.note(2)) == true)
    #expect(client.isFresh(.folder(1)) == true)
    client.answerAll(from: server)
    #expect(client.isFresh(.folder(0)) == true)
    #expect(client.isFresh(.note(1)) == true)
  }

  @Test("B41 An item whose value was not sent affects only itself and every list that may have it")
  func notSent() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    let event = server.publish(
      .partlyDecoded(
        [],
        undecodable: [
          UndecodableItem(
            type: NoteSchema.noteType, id: EntityKey.note(1).id, mayEnterLists: true)
        ]))
    client.receive(event)
    #expect(client.isFresh(.note(1)) == false)
    #expect(client.isFresh(.note(2)) == true && client.isFresh(.note(3)) == true)
    #expect(client.isFresh(.folder(0)) == false && client.isFresh(.folder(1)) == false)
    #expect(client.rows(of: .folder(1)) == [3], "the data stays")
    #expect(client.store.statistics.itemsUndecodable == 0)
    client.answerAll(from: server)
    #expect(client.isFresh(.folder(0)) == true && client.isFresh(.folder(1)) == true)
    #expect(client.isFresh(.note(1)) == true)
    client.receive(event)
    #expect(client.isFresh(.folder(0)) == true, "told again, it is no news")
    client.store.checkInvariants()
  }

  @Test("B41 An item of which only the type is known makes lists of that type stale")
  func unknown() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(nil)])))
    #expect(client.fetches.count == 2)
    #expect(client.isFresh(.note(3)) == false)
    client.receive(server.write((4, Note(folder: 1, title: "d"))))
    #expect(client.store.cursor(of: server.stream) == server.place.position)
  }

  @Test("B41 The entity stays in doubt until a newer version, or an answer that was read later")
  func endOfDoubt() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    let known = server.log[0].event
    func doubt() { client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(1)]))) }
    doubt()
    // A second channel repeats known events.
    client.store.receive(
      EventEnvelope(place: nil, event: known), library: .test, at: client.now)
    #expect(client.isFresh(.note(1)) == false)
    #expect(
      client.store.readEntity(.note(1), library: .test, at: client.now).outcome == .missInvalidated)
    client.answerAll(from: server)
    #expect(client.isFresh(.note(1)) == true, "the answer shows what the event told")
    doubt()
    client.receive(server.write((1, Note(folder: 0, title: "newer"))))
    #expect(client.isFresh(.note(1)) == true)
  }

  @Test("B27 A server that lags and does not have an entity yet does not remove it")
  func unknownToLaggingServer() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    let former = server.place
    client.receive(server.write((2, Note(folder: 0, title: "new"))))
    client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(2)])))
    _ = client.store.readEntity(.note(2), library: .test, at: client.now)
    client.collect()
    let fetch = client.takeFetch(at: client.fetches.count - 1)
    #expect(fetch.target == .entity(.note(2)))
    client.complete(fetch.id, with: FetchResponse(entities: [], hasMore: false, place: former))
    #expect(client.residents.contains(2))
  }

  @Test(
    "B41 Invalidations are not forgotten with the changes reported during a fetch",
    arguments: [true, false])
  func manyChanges(isKept: Bool) throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    client.read(.opaque)
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    server.change([(.note(1), Note(folder: 0, title: "a", text: "xx"))])
    client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(1)])))
    for _ in 0..<8_200 {
      client.receive(server.write((2, Note(folder: 0, title: "b"))))
    }
    if !isKept {
      // A later fetch is awaited in its stead, so that it brings entities and no list.
      client.store.invalidate(NoteQuery.opaque.key(), at: client.now)
      client.read(.opaque)
    }
    client.complete(fetch.id, with: response)
    #expect(client.isFresh(.note(1)) == false)
  }
}

@Suite("Answers to another question")
struct ResponseErrorTests {
  let folder = NoteQuery.folder(0)

  private static func row(_ number: Int, type: UInt16 = 1) -> VersionedEntity<Note> {
    VersionedEntity(
      key: EntityKey(
        type: ResourceType(rawValue: type), id: UniqueID(high: 0, low: UInt64(number))),
      version: Version(clock: 5, device: 1), payload: Note(folder: 0, title: "\(number)"))
  }

  struct Fault: Sendable {
    var target: FetchTarget
    var response: FetchResponse<Note>
    var message: String
  }

  static let faults: [Fault] = [
    Fault(
      target: .query(NoteQuery.folder(0).key()),
      response: FetchResponse(entities: [row(1), row(7, type: 3)], hasMore: false, place: nil),
      message: "in row 1 the entity 00000000-0000-0000-0000-000000000007 of type 3"),
    Fault(
      target: .query(NoteQuery.live.key()),
      response: FetchResponse(entities: [row(7, type: 3)], hasMore: false, place: nil),
      message: "its plan names [1, 2]"),
    Fault(
      target: .query(NoteQuery.starred(limit: 2).key()),
      response: FetchResponse(entities: [row(1), row(2), row(3)], hasMore: false, place: nil),
      message: "has 3 rows, at most 2 were asked for"),
    Fault(
      target: .entity(.note(1)),
      response: FetchResponse(entities: [row(2)], hasMore: false, place: nil),
      message: "is the entity 00000000-0000-0000-0000-000000000002"),
    Fault(
      target: .entity(.note(1)),
      response: FetchResponse(entities: [row(1), row(1)], hasMore: false, place: nil),
      message: "has 2 rows, at most 1"),
    Fault(
      target: .query(NoteQuery.folder(0).key()),
      response: .notModified(at: NoteServer().place), message: "though the request set no condition"
    ),
  ]

  @Test(
    "B17 A wrong answer is a typed error with place and remedy, and nothing of it is kept",
    arguments: faults)
  func rejected(fault: Fault) throws {
    var client = try NoteClient()
    switch fault.target {
    case .query(let key): client.read(key)
    case .entity(let key):
      _ = client.store.readEntity(key, library: .test, at: client.now)
      client.collect()
    }
    let ending = client.complete(client.takeFetch().id, with: fault.response)
    guard case .rejected(let error) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(error.description.contains(fault.message) == true, "\(error)")
    #expect(client.residents == [])
    #expect(client.store.cachedQueries == 0)
  }

  @Test("B17 A wrong answer leaves the former content, and counts as a failed fetch")
  func keepsData() throws {
    let server = FreshnessTests.server()
    var client = try NoteClient(
      .test(freshness: Freshness(timeToLive: .seconds(10), staleIfError: .seconds(5))))
    client.observe(folder, from: server)
    _ = client.takeNotified()
    let wrong = FetchResponse(entities: [Self.row(7, type: 3)], hasMore: false, place: server.place)
    client.wait(.seconds(12))
    client.read(folder)
    #expect(client.complete(client.takeFetch().id, with: wrong) == .servedExpired)
    client.wait(.seconds(3))
    client.store.invalidate(folder.key(), at: client.now)
    client.read(folder)
    #expect(client.complete(client.takeFetch().id, with: wrong) != .servedExpired)
    #expect(client.rows(of: folder) == [1])
    #expect(client.takeNotified() == [])
  }
}
