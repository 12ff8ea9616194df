import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Fetches: later changes win")
struct FetchTests {
  let folder = NoteQuery.folder(0)

  static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "b")), (2, Note(folder: 0, title: "d")))
  }

  @Test(
    "B27 An event during a fetch wins over the older response",
    arguments: MembershipTests.changes)
  func eventDuringFetch(change: MembershipTests.Change) throws {
    var server = MembershipTests.server()
    server.write((9, Note(folder: 1, title: "x")))
    var client = try NoteClient()
    client.heartbeat(from: server)
    client.read(folder)
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    let event =
      if let note = change.note {
        server.write((change.number, note))
      } else { server.delete(.note(change.number)) }
    client.receive(event)
    client.complete(fetch.id, with: response)
    #expect(client.isFresh(folder) == true)
    #expect(client.rows(of: folder) == change.rows)
  }

  @Test("B27 A delete during a fetch wins, also for waiting callers", arguments: [nil, 0])
  func deleteDuringFetch(maximumQueries: Int?) throws {
    var server = Self.server()
    var client = try NoteClient(.test(maximumQueries: maximumQueries))
    client.heartbeat(from: server)
    client.read(folder)
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    client.receive(server.delete(.note(1)))
    client.complete(fetch.id, with: response)
    let rows = client.store.rows(of: fetch.target, answeredBy: response)
    #expect(rows.map(\.key) == [.note(2)])
    #expect(client.residents == [2])
  }

  @Test(
    "B27 An invalidation during a fetch leaves its response stale", arguments: ["key", "tag"],
    [true, false])
  func invalidateDuringFetch(by door: String, isObserved: Bool) throws {
    let server = Self.server()
    var client = try NoteClient()
    if isObserved { client.store.addObserver(of: folder.key(), at: client.now) }
    client.read(folder)
    let fetch = client.takeFetch()
    if door == "key" {
      client.store.invalidate(folder.key(), at: client.now)
    } else {
      client.store.invalidate(InvalidationTag(library: .test), at: client.now)
    }
    client.collect()
    #expect(client.fetches.isEmpty, "one at a time")
    client.complete(fetch.id, with: server.answer(fetch.target))
    #expect(client.isFresh(folder) == false)
    #expect(client.fetches.count == (isObserved ? 1 : 0), "an observed one is fetched again, once")
    client.answerAll(from: server)
    #expect(client.isFresh(folder) == isObserved)
  }

  @Test(
    "B27 A read after an invalidation is not given an answer from before it", arguments: [nil, 0])
  func readAfterInvalidation(maximumQueries: Int?) throws {
    let server = Self.server()
    var client = try NoteClient(.test(maximumQueries: maximumQueries))
    client.read(folder)
    let before = client.takeFetch()
    #expect(client.read(folder) == .coalesced)
    client.store.invalidate(folder.key(), at: client.now)
    #expect(client.read(folder) != .coalesced)
    let after = client.takeFetch()
    client.complete(after.id, with: server.answer(after.target))
    client.complete(
      before.id, with: FetchResponse(entities: [], hasMore: false, place: server.place))
    let isKept = maximumQueries == nil
    #expect(client.rows(of: folder) == (isKept ? [1, 2] : []))
    #expect(client.isFresh(folder) == isKept)
  }

  @Test(
    "B27 A read after a bulk notice or a resync is not given an answer from before it",
    arguments: ["tag", "method", "epoch"], [nil, 0])
  func readAfterNotice(of cause: String, maximumQueries: Int?) throws {
    var server = Self.server()
    var client = try NoteClient(.test(maximumQueries: maximumQueries))
    client.heartbeat(from: server)
    client.read(folder)
    let before = client.takeFetch()
    let early = server.answer(before.target)
    let method = cause == "method" ? NoteQuery.folderMethod : nil
    let tag = InvalidationTag(library: .test, method: method)
    if cause == "epoch" {
      server.restart()
      client.heartbeat(from: server)
    } else {
      client.receive(server.publish(.bulkNotice(scope: tag, count: 1, token: 1)))
    }
    #expect(client.read(folder) != .coalesced)
    let after = client.takeFetch()
    #expect(client.read(folder) == .coalesced, "what begins after it is joined")
    client.complete(before.id, with: early)
    client.complete(after.id, with: server.answer(after.target))
    let isKept = maximumQueries == nil
    #expect(client.rows(of: folder) == (isKept ? [1, 2] : []))
    #expect(client.isFresh(folder) == isKept)
  }

  @Test("B27 A read of an entity after a bulk notice is not given an answer from before it")
  func entityReadAfterNotice() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.heartbeat(from: server)
    let before = client.store.readEntity(.note(1), library: .test, at: client.now)
    let tag = InvalidationTag(library: .test)
    client.receive(server.publish(.bulkNotice(scope: tag, count: 1, token: 1)))
    let after = client.store.readEntity(.note(1), library: .test, at: client.now)
    #expect(after.outcome != .coalesced)
    #expect(after.fetch != before.fetch)
  }

  @Test("B27 An answer older than known data does not hide it, and is not requested endlessly")
  func laggingServer() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.observe(folder, from: server)
    let old = server
    client.receive(server.write((3, Note(folder: 0, title: "c"))))
    client.store.invalidate(folder.key(), at: client.now)
    client.collect()
    let fetch = client.takeFetch()
    client.complete(fetch.id, with: old.answer(fetch.target))
    #expect(client.rows(of: folder) == [1, 3, 2])
    #expect(client.isFresh(folder) == false)
    #expect(client.fetches.isEmpty, "the next heartbeat asks again")
    client.heartbeat(from: server)
    client.answerAll(from: server)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B27 A query dropped during its fetch is not brought back by the response")
  func droppedDuringFetch() throws {
    let server = Self.server()
    var client = try NoteClient(.test(retention: .referenceCountObserved))
    client.store.addObserver(of: folder.key(), at: client.now)
    client.read(folder)
    client.stopObserving(folder)
    let fetch = client.takeFetch()
    client.complete(fetch.id, with: server.answer(fetch.target))
    #expect(client.store.cachedQueries == 0)
  }

  @Test("B26 A new observer joins the fetch in flight", arguments: [nil, 0])
  func observeJoins(maximumQueries: Int?) throws {
    let server = Self.server()
    var client = try NoteClient(.test(maximumQueries: maximumQueries))
    client.read(folder)
    client.store.addObserver(of: folder.key(), at: client.now)
    #expect(client.read(folder) == .coalesced)
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    #expect(client.read(folder) == .hit)
    #expect(client.takeNotified() == [folder.key()])
  }

  @Test("B26 A failed fetch is not cached")
  func failure() throws {
    let server = Self.server()
    var client = try NoteClient()
    client.read(folder)
    client.fail(client.takeFetch().id)
    #expect(client.read(folder) == .missCold)
    client.answerAll(from: server)
    #expect(client.read(folder) == .hit)
    client.store.invalidate(folder.key(), at: client.now)
    client.read(folder)
    client.fail(client.takeFetch().id)
    #expect(client.rows(of: folder) == [1, 2], "the data stays")
    #expect(client.read(folder) == .missInvalidated)
  }

  @Test("B5 A fetch does not look like a use of everything that changed meanwhile")
  func fetchesTouchOnlyTheirOwn() throws {
    var server = NoteServer()
    for number in 0..<3 { server.write((number, Note(folder: number, title: "a"))) }
    var client = try NoteClient(.test(capacity: Capacity(entities: 3)))
    client.heartbeat(from: server)
    client.read(.folder(2))
    let fetch = client.takeFetch()
    client.receive(server.write((0, Note(folder: 0, title: "b"))))
    client.receive(server.write((1, Note(folder: 1, title: "b"))))
    _ = client.store.readEntity(.note(0), library: .test, at: client.now)
    client.complete(fetch.id, with: server.answer(fetch.target))
    client.receive(server.write((9, Note(folder: 9, title: "x"))))
    #expect(client.residents == [0, 2, 9], "1 was used longest ago")
  }
}
