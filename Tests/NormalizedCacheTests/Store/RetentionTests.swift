import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Retention: entities kept from eviction")
struct RetentionTests {
  static let folder = NoteQuery.folder(0)

  static func server(notes: Int) -> NoteServer {
    var server = NoteServer()
    for number in 0..<notes { server.write((number, Note(folder: 0, title: "\(number)"))) }
    return server
  }

  @Test(
    "B3 When everything is retained, the limit is soft, and written entities stay",
    arguments: CachePolicy.boundedOrders)
  func softLimit(order: String) throws {
    var server = Self.server(notes: 4)
    var client = try NoteClient(
      .test(evictionOrder: order, capacity: Capacity(entities: 3), retention: .observed))
    client.observe(Self.folder, from: server)
    #expect(client.rows(of: Self.folder) == [0, 1, 2, 3])
    #expect(client.store.statistics.retainedOverflow == 1)

    client.receive(server.write((9, Note(folder: 1, title: "elsewhere"))))
    #expect(client.residents == [0, 1, 2, 3, 9])
    #expect(client.store.statistics.evictions == 0)
    #expect(client.store.statistics.retainedOverflow == 2)

    client.receive(server.write((8, Note(folder: 1, title: "elsewhere"))))
    #expect(client.residents == [0, 1, 2, 3, 8], "9 was the only one that may go")
  }

  @Test(
    "B3 An order that names the entity being written does not stop the eviction",
    arguments: CachePolicy.boundedOrders)
  func writtenIsNeverTheVictim(order: String) throws {
    var client = try NoteClient(.test(evictionOrder: order, capacity: Capacity(entities: 2)))
    for number in 0..<200 {
      client.write(number, Note(folder: 0, title: ""), clock: UInt64(number + 1))
      #expect(client.residents.contains(number) == true)
      #expect(client.residents.count == min(number + 1, 2))
      // A hit on the others, so that a hand has something to pass by.
      for key in client.residents where key != number {
        _ = client.store.readEntity(.note(key), library: .test, at: client.now)
      }
    }
    #expect(client.store.statistics.retainedOverflow == 0)
  }

  @Test("B7 A reference count is the number of retaining queries", arguments: Retention.allCases)
  func referenceCounts(retention: Retention) throws {
    let server = NoteServer(writing: (1, Note(folder: 0, title: "a", isStarred: true)))
    var client = try NoteClient(.test(retention: retention))
    let starred = NoteQuery.starred(limit: 5)
    func count() -> Int { client.store.referenceCount(of: .note(1)) }

    client.observe(Self.folder, from: server)
    _ = client.load(starred, from: server)
    let cached = retention == .cached || retention == .referenceCount ? 1 : 0
    let observed = retention == .none || retention == .tags ? 0 : 1
    #expect(count() == observed + cached)
    client.observe(starred, from: server)
    #expect(count() == 2 * observed)
    client.stopObserving(Self.folder)
    #expect(count() == observed + cached)
    client.stopObserving(starred)
    #expect(count() == 2 * cached)
  }

  @Test("B7 A tag retains its query's rows, whoever observes it")
  func tags() throws {
    let server = NoteServer(writing: (1, Note(folder: 0, title: "a", isStarred: true)))
    var client = try NoteClient(.test(retention: .tags))
    func count() -> Int { client.store.referenceCount(of: .note(1)) }

    client.observe(Self.folder, from: server)
    client.store.tag(Self.folder.key(), true, at: client.now)
    #expect(count() == 1)
    client.stopObserving(Self.folder)
    #expect(count() == 1)
    client.store.tag(Self.folder.key(), false, at: client.now)
    #expect(count() == 0)
    client.store.checkInvariants()
  }

  @Test("B7 A result that lists an entity twice counts it once")
  func duplicates() throws {
    var server = NoteServer()
    let note = Note(folder: 0, title: "a")
    server.write((1, note), (2, Note(folder: 0, title: "b")))
    var client = try NoteClient(.test(retention: .cached))
    client.read(Self.folder)
    let fetch = client.takeFetch()
    var response = server.answer(fetch.target)
    response.entities.append(response.entities[0])
    client.complete(fetch.id, with: response)
    #expect(client.rows(of: Self.folder) == [1, 2, 1])
    #expect(client.store.referenceCount(of: .note(1)) == 1)
    client.receive(server.delete(.note(1)))
    #expect(client.rows(of: Self.folder) == [2])
    #expect(client.store.referenceCount(of: .note(1)) == 0)
  }

  @Test(
    "B9 Stale unobserved queries retain nothing", arguments: ["expiry", "key", "tag", "epoch"])
  func staleReleases(cause: String) throws {
    var server = Self.server(notes: 3)
    var client = try NoteClient(
      .test(retention: .cached, freshness: Freshness(timeToLive: .seconds(10))))
    _ = client.load(Self.folder, from: server)
    #expect(client.store.referenceCount(of: .note(0)) == 1)
    switch cause {
    case "expiry": client.wait(.seconds(10))
    case "key": client.store.invalidate(Self.folder.key(), at: client.now)
    case "tag": client.store.invalidate(InvalidationTag(library: .test), at: client.now)
    default:
      server.restart()
      client.heartbeat(from: server)
    }
    #expect(client.store.referenceCount(of: .note(0)) == 0)
    #expect(client.rows(of: Self.folder) == [0, 1, 2], "the data stays")
  }
}
