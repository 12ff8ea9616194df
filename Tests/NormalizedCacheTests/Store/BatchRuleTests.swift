import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Batches by what they come from")
struct BatchRuleTests {
  private let folder = NoteQuery.folder(0)
  private let other = NoteQuery.folder(1)
  private let starred = NoteQuery.starred(limit: 10)

  /// A cache with the lists of two folders and of what is starred, all fresh.
  private func loaded(
    _ rules: [EventOrigin: BatchRule], _ server: inout NoteServer
  ) throws -> NoteClient {
    server.write(
      (1, Note(folder: 0, title: "b", isStarred: true)), (2, Note(folder: 1, title: "d")))
    var composition = PolicyComposition.test()
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
    client.store.checkInvariants()
  }

  @Test("An admission of their own keeps out what only such a batch brings, and ends with it")
  func admission() throws {
    var server = NoteServer()
    var client = try loaded([.index: BatchRule(admission: .updateOnly)], &server)
    client.receive(batch(of: .index, first: 7, &server))
    #expect(client.rows(of: folder) == [1, 7])
    #expect(client.residents == [1, 2, 7], "8 is in no list")
    client.receive(server.write((9, Note(folder: 5, title: "by itself"))))
    #expect(client.residents == [1, 2, 7, 9])
    client.store.checkInvariants()
  }

  @Test("What such a batch brings stands on probation, and nothing else does")
  func probation() throws {
    var server = NoteServer()
    var client = try loaded([.index: BatchRule(admission: .probation)], &server)
    client.receive(batch(of: .index, first: 7, &server))
    client.receive(batch(of: .watcher, first: 17, &server))
    #expect(client.residents == [1, 2, 7, 8, 17, 18])
    client.store.checkInvariants()
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
    client.store.checkInvariants()
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
    client.store.checkInvariants()
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
    client.store.checkInvariants()
  }
}
