import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Fetches: what happens meanwhile wins")
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

  @Test("B27 A delete during a fetch wins, also for those who wait", arguments: [nil, 0])
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

  @Test("B27 A resync during a fetch makes an observed query be fetched again")
  func resyncDuringFetch() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.observe(folder, from: server)
    client.store.invalidate(folder.key(), at: client.now)
    client.collect()
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    server.restart()
    client.heartbeat(from: server)
    client.complete(fetch.id, with: response)
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B27 A response from before the baseline of its stream is not taken for the truth")
  func beforeTheBaseline() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.read(folder)
    client.read(.folder(1))
    let slow = client.takeFetch()
    let response = server.answer(slow.target)
    // The client hears of none of these: it has not followed the stream yet.
    server.write((3, Note(folder: 0, title: "c")))
    let quick = client.takeFetch()
    client.complete(quick.id, with: server.answer(quick.target))
    client.complete(slow.id, with: response)
    #expect(client.rows(of: folder) == [1, 2])
    #expect(client.isFresh(folder) == false)
    #expect(client.load(folder, from: server) == [1, 3, 2])
  }

  @Test(
    "B27 An answer that is older than what was known does not hide it, and is not asked for without end"
  )
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

  @Test("B27 Overlapping responses commute", arguments: [[0, 1], [1, 0]])
  func overlapping(order: [Int]) throws {
    var server = NoteServer(writing: (1, Note(folder: 0, title: "a", isStarred: true)))
    var client = try NoteClient()
    client.heartbeat(from: server)
    let starred = NoteQuery.starred(limit: 10)
    client.read(folder)
    client.read(starred)
    let first = client.takeFetch()
    let second = client.takeFetch()
    let early = server.answer(first.target)
    let event = server.write((1, Note(folder: 0, title: "z", isStarred: true)))
    let late = server.answer(second.target)
    for index in order {
      if index == 0 {
        client.complete(first.id, with: early)
      } else {
        client.complete(second.id, with: late)
      }
    }
    client.receive(event)
    #expect(client.store.peek(.note(1))?.payload.title == "z")
    #expect(client.rows(of: folder) == [1])
    #expect(client.rows(of: starred) == [1])
  }

  @Test("B27 An entity created during its own fetch survives the answer that it does not exist")
  func createdDuringEntityFetch() throws {
    var server = NoteServer()
    var client = try NoteClient()
    client.heartbeat(from: server)
    _ = client.store.readEntity(.note(5), library: .test, at: client.now)
    client.collect()
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    client.receive(server.write((5, Note(folder: 0, title: "new"))))
    client.complete(fetch.id, with: response)
    #expect(client.residents == [5])
  }

  @Test("B27 A change from before a resync does not make its value fresh again")
  func reappliedAfterResync() throws {
    var hub = NoteServer()
    var phone = NoteServer(source: 1)
    var client = try NoteClient()
    client.heartbeat(from: hub)
    client.heartbeat(from: phone)
    client.read(folder)
    let fetch = client.takeFetch()
    client.receive(phone.write((5, Note(folder: 0, title: "a"))))
    #expect(client.isFresh(.note(5)) == true)
    // The deletion is lost with the epoch that it ends.
    _ = phone.delete(.note(5))
    phone.restart()
    client.heartbeat(from: phone)
    #expect(client.isFresh(.note(5)) == false)
    hub.publish(.infrastructure)
    client.complete(fetch.id, with: hub.answer(fetch.target))
    #expect(client.isFresh(.note(5)) == false)
    #expect(client.isFresh(folder) == false)
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

  @Test("B26 Whoever begins to observe joins the fetch in flight", arguments: [nil, 0])
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

  @Test("B27 What was forgotten with a later change is not brought back without it")
  func forgottenWithALaterChange() throws {
    var server = NoteServer(writing: (0, Note(folder: 0, title: "a", isStarred: true)))
    var client = try NoteClient(.test(capacity: Capacity(entities: 1)))
    client.heartbeat(from: server)
    client.read(.starred(limit: 1))
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    client.receive(server.write((5, Note(folder: 0, title: "z", isStarred: true))))
    client.receive(server.write((5, Note(folder: 7, title: "moved"))))
    client.write(9, Note(folder: 9, title: "pushes it out"), clock: 99)
    client.complete(fetch.id, with: response)
    #expect(client.store.peek(.note(5)).map { $0.payload.title } != "z")
  }

  @Test("B27 A list that was brought up to date by an old event follows the newer value")
  func listBehindItsRows() throws {
    var server = NoteServer()
    let old = server.write((6, Note(folder: 0, title: "a")))
    var client = try NoteClient()
    client.heartbeat(from: server)
    let moved = server.write((6, Note(folder: 2, title: "a")))
    client.read(folder)
    let fetch = client.takeFetch()
    client.store.receive(
      EventEnvelope(place: nil, event: old.event), library: .test, at: client.now)
    // Read after the move, of which the cache has not heard.
    client.complete(fetch.id, with: server.answer(fetch.target))
    client.receive(moved)
    #expect(client.rows(of: folder) == [])
  }
}
