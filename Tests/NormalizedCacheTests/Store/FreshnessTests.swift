import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Freshness and invalidation")
struct FreshnessTests {
  let folder = NoteQuery.folder(0)

  static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "a", isStarred: true)))
  }

  @Test("B24 A method's own time to live wins")
  func perMethod() throws {
    let server = Self.server()
    var client = try NoteClient(
      .test(
        freshness: Freshness(
          timeToLive: .seconds(10), perMethod: [NoteQuery.starredMethod: .seconds(30)])))
    _ = client.load(folder, from: server)
    _ = client.load(.starred(limit: 5), from: server)
    client.wait(.seconds(10))
    #expect(client.read(folder) == .missExpired)
    #expect(client.read(.starred(limit: 5)) == .hit)
    client.wait(.seconds(20))
    #expect(client.read(.starred(limit: 5)) == .missExpired)
  }

  @Test("B24 Expiry alone neither notifies, nor fetches, nor changes the rows")
  func silentExpiry() throws {
    let server = Self.server()
    var client = try NoteClient(
      .test(freshness: Freshness(timeToLive: .seconds(10), dropsExpired: true)))
    client.observe(folder, from: server)
    _ = client.takeNotified()
    client.wait(.seconds(60))
    #expect(client.takeNotified() == [])
    for _ in 0..<3 { client.heartbeat(from: server) }
    #expect(client.fetches.isEmpty, "a heartbeat announces a position and polls nothing")
    #expect(client.takeNotified() == [])
    #expect(client.rows(of: folder) == [1])
    #expect(client.isFresh(folder) == false)
    #expect(client.read(folder) == .missExpired)
    #expect(client.fetches.count == 1)
  }

  @Test("B24 Invalid results are requested; those that expired after a failed fetch, retried")
  func expiredAndOwed() throws {
    let server = Self.server()
    var client = try NoteClient(.test(freshness: Freshness(timeToLive: .seconds(10))))
    client.observe(folder, from: server)
    client.wait(.seconds(60))
    client.store.invalidate(folder.key(), at: client.now)
    client.collect()
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    client.wait(.seconds(60))
    client.read(folder)
    client.fail(client.takeFetch().id)
    client.heartbeat(from: server)
    #expect(client.fetches.count == 1, "its last fetch came to nothing")
    client.answerAll(from: server)
    client.wait(.seconds(60))
    client.heartbeat(from: server)
    #expect(client.fetches.isEmpty)
  }

  @Test("B24 An event on a member does not extend the freshness of the list")
  func eventsDoNotExtend() throws {
    var server = Self.server()
    var client = try NoteClient(.test(freshness: Freshness(timeToLive: .seconds(10))))
    _ = client.load(folder, from: server)
    client.wait(.seconds(9))
    client.receive(server.write((1, Note(folder: 0, title: "b"))))
    #expect(client.read(folder) == .hit)
    client.wait(.seconds(1))
    #expect(client.read(folder) == .missExpired)
  }

  @Test("B24 An age may count from the request, and then an answer can be old when it comes")
  func fromRequest() throws {
    let server = Self.server()
    for (start, ages) in [
      (Freshness.Start.answer, [(3, ReadOutcome.hit), (4, .missExpired)]),
      (.request, [(2, .hit), (3, .missExpired)]),
    ] {
      for (wait, outcome) in ages {
        var client = try NoteClient(
          .test(freshness: Freshness(timeToLive: .seconds(4), start: start)))
        client.read(folder)
        client.wait(.seconds(1))
        client.answerAll(from: server)
        client.wait(.seconds(wait))
        #expect(client.read(folder) == outcome, "\(start), \(wait) s")
      }
      var client = try NoteClient(
        .test(freshness: Freshness(timeToLive: .seconds(4), start: start)))
      client.read(folder)
      client.wait(.seconds(4))
      client.answerAll(from: server)
      #expect(client.isFresh(folder) == (start == .answer))
      #expect(client.rows(of: folder) == [1])
    }
  }

  @Test("B24 A clock that goes back makes nothing young again")
  func backwardClock() throws {
    let server = Self.server()
    var client = try NoteClient(.test(freshness: Freshness(timeToLive: .seconds(10))))
    _ = client.load(folder, from: server)
    client.wait(.seconds(10))
    client.now = .zero
    #expect(client.read(folder) == .missExpired)
  }

  struct Match: Sendable {
    var tag: InvalidationTag
    /// Whether the folder, the starred list, and the other library's folder are stale.
    var stale: [Bool]
  }

  @Test(
    "B22 Invalidation matches structured tags: every field that is given",
    arguments: [
      Match(tag: InvalidationTag(library: .test), stale: [true, true, false]),
      Match(tag: InvalidationTag(library: .other), stale: [false, false, true]),
      Match(
        tag: InvalidationTag(library: .test, resourceType: NoteSchema.noteType),
        stale: [true, true, false]),
      Match(
        tag: InvalidationTag(library: .test, resourceType: ResourceType(rawValue: 9)),
        stale: [false, false, false]),
      Match(
        tag: InvalidationTag(library: .test, method: NoteQuery.folderMethod),
        stale: [true, false, false]),
      Match(
        tag: InvalidationTag(
          library: .test, resourceType: ResourceType(rawValue: 9), method: NoteQuery.folderMethod),
        stale: [false, false, false]),
      // Queries that are confined to no location may list something of any.
      Match(
        tag: InvalidationTag(library: .test, location: UniqueID(high: 0, low: 5)),
        stale: [true, true, false]),
    ])
  func tags(match: Match) throws {
    var client = try NoteClient()
    let keys = [
      folder.key(), NoteQuery.starred(limit: 5).key(), folder.key(in: .other),
    ]
    for key in keys {
      guard let fetch = client.store.read(key, at: client.now).fetch else { continue }
      let server = NoteServer(library: key.library)
      client.store.completeFetch(fetch, with: server.answer(key), at: client.now)
    }
    client.store.invalidate(match.tag, at: client.now)
    let stale = keys.map { !client.store.isFresh($0, at: client.now) }
    #expect(stale == match.stale)
  }

  @Test("B22 A single entity becomes stale with events that name its type")
  func entities() throws {
    let server = Self.server()
    var client = try NoteClient()
    _ = client.load(folder, from: server)
    func outcome() -> ReadOutcome {
      client.store.readEntity(.note(1), library: .test, at: client.now).outcome
    }
    #expect(outcome() == .hit)
    client.store.invalidate(
      InvalidationTag(library: .test, resourceType: ResourceType(rawValue: 9)), at: client.now)
    #expect(outcome() == .hit)
    client.store.invalidate(
      InvalidationTag(library: .test, method: NoteQuery.folderMethod), at: client.now)
    #expect(outcome() == .hit, "a method says nothing of entities")
    client.store.invalidate(
      InvalidationTag(library: .test, resourceType: NoteSchema.noteType), at: client.now)
    #expect(outcome() == .missInvalidated)
    client.answerAll(from: server)
    #expect(outcome() == .hit)
  }

  @Test("B22 More partial invalidations than are remembered count as one of everything")
  func manyNotices() throws {
    let server = Self.server()
    var client = try NoteClient()
    _ = client.load(folder, from: server)
    for _ in 0..<40 {
      client.store.invalidate(
        InvalidationTag(library: .test, resourceType: ResourceType(rawValue: 9)), at: client.now)
    }
    let outcome = client.store.readEntity(.note(1), library: .test, at: client.now).outcome
    #expect(outcome == .missInvalidated, "stale rather than silently wrong")
  }

  @Test("B23 Invalidate keeps the data, and fetches only observed queries, once")
  func keepsData() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.observe(folder, from: server)
    _ = client.load(.starred(limit: 5), from: server)
    _ = client.takeNotified()
    for _ in 0..<5 { client.store.invalidate(InvalidationTag(library: .test), at: client.now) }
    client.collect()
    #expect(client.fetches.map(\.target) == [.query(folder.key())])
    #expect(client.rows(of: folder) == [1])
    #expect(client.rows(of: .starred(limit: 5)) == [1])
    #expect(client.takeNotified() == [], "nothing that shows has changed")
    client.answerAll(from: server)
    #expect(client.takeNotified() == [])
    server.write((2, Note(folder: 0, title: "b")))
    client.store.invalidate(folder.key(), at: client.now)
    client.answerAll(from: server)
    #expect(client.takeNotified() == [folder.key()])
    #expect(client.rows(of: folder) == [1, 2])
  }

  @Test("B23 A heartbeat asks once for observers' missing data, and not while a fetch is in flight")
  func heartbeatsAreBounded() throws {
    let server = Self.server()
    var client = try NoteClient()
    client.store.addObserver(of: folder.key(), at: client.now)
    for _ in 0..<5 { client.heartbeat(from: server) }
    #expect(client.fetches.count == 1)
  }
}
