import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Revalidation: asking whether the answer is still the same")
struct RevalidationTests {
  let folder = NoteQuery.folder(0)

  static func server() -> NoteServer {
    var server = NoteServer()
    for number in 1...3 { server.write((number, Note(folder: 0, title: "\(number)"))) }
    return server
  }

  static func client(of server: NoteServer, _ composition: PolicyComposition) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.observe(.folder(0), from: server)
    _ = client.takeNotified()
    return client
  }

  static let expiring = PolicyComposition.test(
    capacity: Capacity(entities: 4), freshness: Freshness(timeToLive: .seconds(10)))

  @Test("B25 Not modified makes the result young again, and notifies nobody")
  func refreshes() throws {
    var server = Self.server()
    var client = try Self.client(of: server, Self.expiring)
    let readAt = server.place
    client.receive(server.write((9, Note(folder: 5, title: "elsewhere"))))
    client.wait(.seconds(10))
    #expect(client.read(folder) == .missExpired)
    let fetch = client.takeFetch()
    #expect(fetch.unlessChangedSince == readAt)
    #expect(client.complete(fetch.id, with: .notModified(at: server.place)) == .answered)
    #expect(client.takeNotified() == [])
    #expect(client.isFresh(folder) == true)
    #expect(client.isFresh(.note(1)) == true)
    client.wait(.seconds(10) - .nanoseconds(1))
    #expect(client.read(folder) == .hit)
    client.wait(.nanoseconds(1))
    #expect(client.read(folder) == .missExpired)
    #expect(client.takeFetch().unlessChangedSince == server.place, "read at the new place")
    client.store.checkInvariants()
  }

  @Test("B25 Not modified settles what made the result stale, as the same rows would")
  func settles() throws {
    let server = Self.server()
    var client = try Self.client(of: server, .test())
    client.store.invalidate(InvalidationTag(library: .test), at: client.now)
    client.collect()
    #expect(client.isFresh(folder) == false)
    let fetch = client.takeFetch()
    client.store.invalidate(folder.key(), at: client.now)
    client.complete(fetch.id, with: .notModified(at: server.place))
    #expect(client.isFresh(folder) == false, "invalidated after it was asked")
    let second = client.takeFetch()
    client.complete(second.id, with: .notModified(at: server.place))
    #expect(client.isFresh(folder) == true)
    #expect(client.isFresh(.note(2)) == true)
  }

  @Test("B25 Not modified, read at a place that does not show the cause, settles nothing")
  func tooEarly() throws {
    var server = Self.server()
    var client = try Self.client(of: server, .test(membership: .markStale))
    let before = server.place
    client.receive(server.write((9, Note(folder: 0, title: "new"))))
    let fetch = client.takeFetch()
    client.complete(fetch.id, with: .notModified(at: before))
    #expect(client.isFresh(folder) == false)
  }

  @Test(
    "B25 The condition is set only if the list is exactly what was read",
    arguments: ["value", "insertion", "removal", "move", "eviction", "epoch", "no place"])
  func conditions(change: String) throws {
    var server = Self.server()
    var client = try Self.client(of: server, Self.expiring)
    switch change {
    case "value": client.receive(server.write((1, Note(folder: 0, title: "1", text: "x"))))
    case "insertion": client.receive(server.write((4, Note(folder: 0, title: "4"))))
    case "removal": client.receive(server.delete(.note(2)))
    case "move": client.receive(server.write((1, Note(folder: 0, title: "9"))))
    case "eviction":
      client.write(50, Note(folder: 5, title: ""), clock: 99)
      client.write(51, Note(folder: 5, title: ""), clock: 99)
    case "epoch":
      server.restart()
      client.heartbeat(from: server)
      // What is fetched for the new epoch is not what this asks about.
      _ = client.takeFetch()
      client.store.invalidate(folder.key(), at: client.now)
    default:
      client.store.invalidate(folder.key(), at: client.now)
      client.collect()
      let fetch = client.takeFetch()
      var response = server.answer(fetch.target)
      response.place = nil
      client.complete(fetch.id, with: response)
    }
    client.wait(.seconds(10))
    client.read(folder)
    #expect(client.takeFetch().unlessChangedSince == nil)
  }

  @Test("B25 Not modified is asked again in full where the list has changed meanwhile")
  func asksAgain() throws {
    var server = Self.server()
    var client = try Self.client(of: server, Self.expiring)
    client.wait(.seconds(10))
    client.read(folder)
    let fetch = client.takeFetch()
    #expect(fetch.unlessChangedSince != nil)
    let place = server.place
    client.receive(server.write((2, Note(folder: 0, title: "2", text: "x"))))
    #expect(client.complete(fetch.id, with: .notModified(at: place)) == .askedAgain)
    let again = client.takeFetch()
    #expect(again.id == fetch.id)
    #expect(again.unlessChangedSince == nil)
    #expect(client.complete(again.id, with: server.answer(again.target)) == .answered)
    #expect(client.isFresh(folder) == true)
    client.store.checkInvariants()
  }

  @Test("B25 Not modified is asked again in full where the query was dropped meanwhile")
  func dropped() throws {
    let server = Self.server()
    var composition = Self.expiring
    composition.retention = .referenceCountObserved
    var client = try Self.client(of: server, composition)
    client.wait(.seconds(10))
    client.read(folder)
    client.stopObserving(folder)
    let fetch = client.takeFetch()
    #expect(client.complete(fetch.id, with: .notModified(at: server.place)) == .askedAgain)
    let response = server.answer(fetch.target)
    #expect(client.complete(client.takeFetch().id, with: response) == .answered)
    #expect(client.store.rows(of: fetch.target, answeredBy: response) == response.entities)
    client.store.checkInvariants()
  }
}
