import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// A policy is as good as what it is told: of deadlines, of weights, and of space.
@Suite("What an eviction order is told of an entity")
struct OrderFactsTests {
  private func write(_ client: inout NoteClient, _ number: Int, clock: UInt64, bytes: Int = 0) {
    let text = String(repeating: "x", count: bytes)
    client.write(number, Note(folder: 0, title: "", text: text), clock: clock)
  }

  @Test("The deadline of freshness, and each time that a write moves it")
  func deadlines() throws {
    var client = try NoteClient(
      .test(
        evictionOrder: "expiring-first", capacity: Capacity(entities: 3),
        freshness: Freshness(timeToLive: .seconds(60))))
    for number in 1...3 {
      write(&client, number, clock: 1)
      client.wait(.seconds(1))
    }
    // A read uses the entity and makes it no younger.
    _ = client.store.readEntity(.note(1), library: .test, at: client.now)
    write(&client, 4, clock: 1)
    #expect(client.residents == [2, 3, 4])
    client.wait(.seconds(1))
    write(&client, 2, clock: 2)
    write(&client, 5, clock: 1)
    #expect(client.residents == [2, 4, 5], "2 was written after 3 and 4")
  }

  @Test("The deadline that an answer of not modified renews")
  func confirmation() throws {
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "1")))
    server.write((2, Note(folder: 1, title: "2")))
    var client = try NoteClient(
      .test(
        evictionOrder: "expiring-first", capacity: Capacity(entities: 2),
        freshness: Freshness(timeToLive: .seconds(10))))
    client.heartbeat(from: server)
    _ = client.load(.folder(0), from: server)
    client.wait(.seconds(5))
    _ = client.load(.folder(1), from: server)
    client.wait(.seconds(6))
    #expect(client.read(.folder(0)) == .missExpired)
    let fetch = client.takeFetch()
    #expect(fetch.unlessChangedSince != nil)
    client.complete(fetch.id, with: .notModified(at: server.place))
    write(&client, 9, clock: 1)
    #expect(client.residents == [1, 9], "1 is as young as its confirmation")
  }

  @Test("Bytes where bytes are limited, one each where entities are")
  func weights() throws {
    func survivors(_ capacity: Capacity, order: String) throws -> [Int] {
      var client = try NoteClient(.test(evictionOrder: order, capacity: capacity))
      for (number, bytes) in [(1, 4), (2, 20), (3, 8), (4, 2)] {
        write(&client, number, clock: 1, bytes: bytes)
      }
      return client.residents
    }
    #expect(try survivors(Capacity(entities: nil, bytes: 35), order: "size") == [1, 3, 4])
    #expect(try survivors(Capacity(entities: nil, bytes: 35), order: "gdsf") == [1, 3, 4])
    #expect(try survivors(Capacity(entities: 3), order: "size") == [2, 3, 4])
    #expect(try survivors(Capacity(entities: 3), order: "gdsf") == [2, 3, 4])
    // Of 30 bytes and 3 entities, each takes a third at least: 2 takes the most.
    #expect(try survivors(Capacity(entities: 3, bytes: 30), order: "size") == [1, 3, 4])
  }

  @Test("A weight that has changed")
  func changedWeight() throws {
    var client = try NoteClient(
      .test(evictionOrder: "size", capacity: Capacity(entities: nil, bytes: 40)))
    for number in 1...3 { write(&client, number, clock: 1, bytes: 10) }
    write(&client, 2, clock: 2, bytes: 15)
    write(&client, 4, clock: 1, bytes: 10)
    #expect(client.residents == [1, 3, 4])
  }

  @Test("No limit under unbounded, whatever the composition says")
  func unbounded() throws {
    var client = try NoteClient(
      .test(evictionOrder: "unbounded", capacity: Capacity(entities: 2, bytes: 10)))
    for number in 1...20 { write(&client, number, clock: 1, bytes: 10) }
    #expect(client.store.residentEntities == 20)
    #expect(client.store.statistics.evictions == 0)
    #expect(client.store.statistics.retainedOverflow == 0)
    client.store.checkInvariants()
  }
}
