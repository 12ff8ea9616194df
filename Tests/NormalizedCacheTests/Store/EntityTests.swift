import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Entities: versions, recency, deletion, notification")
struct EntityTests {
  let folder = NoteQuery.folder(0)

  @Test(
    "B4 Fetched, pushed and local entities meet the same limit",
    arguments: CachePolicy.boundedOrders)
  func onePath(order: String) throws {
    var server = NoteServer()
    for number in 0..<3 { server.write((number, Note(folder: 0, title: "\(number)"))) }
    var client = try NoteClient(.test(evictionOrder: order, capacity: Capacity(entities: 2)))
    _ = client.load(folder, from: server)
    #expect(client.residents.count == 2)
    client.receive(server.write((5, Note(folder: 1, title: "pushed"))))
    #expect(client.residents.count == 2)
    client.write(6, Note(folder: 1, title: "local"), clock: 100)
    #expect(client.residents.count == 2)
    _ = client.store.readEntity(.note(0), library: .test, at: client.now)
    client.answerAll(from: server)
    #expect(client.residents.count == 2)
  }

  @Test("B5 Reads and query hits touch recency; looking does not")
  func recency() throws {
    var server = NoteServer()
    for number in 0..<3 { server.write((number, Note(folder: number, title: "\(number)"))) }
    func survivors(_ use: (inout NoteClient) -> Void) throws -> [Int] {
      var client = try NoteClient(.test(capacity: Capacity(entities: 3)))
      for number in 0..<3 { _ = client.load(.folder(number), from: server) }
      use(&client)
      client.write(9, Note(folder: 9, title: "new"), clock: 100)
      return client.residents
    }
    #expect(try survivors { _ in } == [1, 2, 9])
    #expect(try survivors { $0.read(.folder(0)) } == [0, 2, 9])
    #expect(
      try survivors { _ = $0.store.readEntity(.note(0), library: .test, at: .zero) } == [0, 2, 9])
    #expect(
      try survivors { client in
        _ = client.rows(of: .folder(0))
        _ = client.store.peek(.note(0))
        _ = client.isFresh(.folder(0))
        client.wait(.seconds(1))
        client.heartbeat(from: server)
      } == [1, 2, 9])
  }

  @Test("B29 Writing an equal value notifies no observer")
  func equalValue() throws {
    var server = NoteServer()
    let note = Note(folder: 0, title: "a")
    server.write((1, note))
    var client = try NoteClient()
    client.observe(folder, from: server)
    _ = client.takeNotified()
    client.receive(server.write((1, note)))
    #expect(client.takeNotified() == [])
    client.store.invalidate(folder.key(), at: client.now)
    client.answerAll(from: server)
    #expect(client.takeNotified() == [], "nor does an equal response")
    client.receive(server.write((1, Note(folder: 0, title: "a", isStarred: true))))
    #expect(client.takeNotified() == [folder.key()])
  }

  @Test("B42 Older updates after a delete stay dead, newer ones create it again")
  func tombstones() throws {
    var client = try NoteClient()
    client.write(1, Note(folder: 0, title: "first"), clock: 1)
    client.delete(1, clock: 5)
    for clock: UInt64 in [1, 4, 5] { client.write(1, Note(folder: 0, title: "late"), clock: clock) }
    #expect(client.residents == [])
    client.write(1, Note(folder: 0, title: "again"), clock: 6)
    #expect(client.residents == [1])
    client.delete(1, clock: 5)
    #expect(client.residents == [1], "an older delete is late too")
    #expect(client.store.statistics.itemsSuperseded == 4)
  }

  @Test("B42 One event deletes a whole subtree")
  func subtree() throws {
    var server = NoteServer()
    for number in 0..<5 { server.write((number, Note(folder: 0, title: "\(number)"))) }
    var client = try NoteClient()
    client.observe(folder, from: server)
    _ = client.takeNotified()
    client.receive(server.delete(.note(1), .note(2), .note(3), .note(77)))
    #expect(client.rows(of: folder) == [0, 4])
    #expect(client.residents == [0, 4])
    #expect(client.takeNotified() == [folder.key()])
  }

  @Test("B42 The memory for deletions is bounded, and a later deletion outlives an earlier one")
  func boundedTombstones() throws {
    var client = try NoteClient()
    client.delete(0, clock: 1)
    client.write(0, Note(folder: 0, title: ""), clock: 2)
    client.delete(0, clock: 3)
    // As many others as leave room for the later deletion of 0, not for the earlier.
    for number in 1..<16_384 { client.delete(number, clock: 10) }
    client.write(0, Note(folder: 0, title: "late"), clock: 2)
    #expect(client.residents == [], "the deletion at 3 is still remembered")
    client.delete(20_000, clock: 10)
    client.write(0, Note(folder: 0, title: "late"), clock: 2)
    #expect(client.residents == [0], "the oldest is forgotten")
  }
}
