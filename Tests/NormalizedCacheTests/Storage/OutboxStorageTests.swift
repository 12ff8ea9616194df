import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Queued mutations and the storage")
struct OutboxStorageTests {
  private static func mutation(_ number: Int, title: String) -> NoteMutation {
    var mutation = NoteMutation(number)
    mutation.edits = [.update(.note(1), .title(title))]
    return mutation
  }

  @Test("B49 A queued mutation is stored at once, and sent only when the storage has it")
  func durableFirst() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .seconds(60)), at: client.now)
    client.flushAll()
    try client.client.enqueue(Self.mutation(1, title: "a"))
    #expect(client.isFlushAsked == true, "it waits for no window")
    let batch = try client.take()
    #expect(batch.outbox?.count == 1)
    try client.client.enqueue(Self.mutation(2, title: "b"))
    #expect(client.client.sends == [])
    client.complete(batch)
    #expect(client.client.sends == [.mutation(1)])
    client.client.reject(.mutation(1))
    #expect(client.client.sends == [.mutation(1)], "the second waits for the storage")
    client.complete(try client.take())
    #expect(client.client.sends == [.mutation(1), .mutation(2)])
  }

  @Test("B49 Where the storage fails, what is queued is sent all the same")
  func failingStorage() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .seconds(60)), at: client.now)
    client.flushAll()
    try client.client.enqueue(Self.mutation(1, title: "a"))
    client.fail(try client.take(), .full("it"))
    #expect(client.client.sends.count == 1)
    client.wait(.seconds(1))
    #expect(try client.take().outbox?.count == 1)
  }

  @Test("B49 B55 After a restart what is queued shows over what is confirmed, and is sent in order")
  func restart() throws {
    var server = NoteServer()
    server.write((1, Note(folder: 1, title: "confirmed")))
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .seconds(60)), at: client.now)
    _ = client.client.load(.folder(1), from: server)
    client.client.setOnline(false)
    for (number, title) in [(1, "one"), (2, "two")] {
      try client.client.enqueue(Self.mutation(number, title: title))
      client.complete(try client.take())
    }
    let stored = client.store.storedState(wallClock: client.wallClock, at: client.now)
    #expect(stored.entities.map(\.payload?.title) == ["confirmed"])
    #expect(stored.outbox.count == 2)

    var other = try PersistentClient()
    let report = other.store.restore(stored, wallClock: client.wallClock, at: other.now)
    #expect(report.mutations == 2)
    other.store.persist(WriteBehind(window: .seconds(60)), at: other.now)
    other.client.collect()
    #expect(other.isFlushAsked == false, "the storage has it all")
    let shown = other.store.rows(of: NoteQuery.folder(1).key())?.map { $0?.payload.title }
    #expect(shown == ["two"])
    #expect(other.client.sends == [Self.mutation(1, title: "").token])
    other.client.reject(Self.mutation(1, title: "").token)
    #expect(other.client.sends.last == Self.mutation(2, title: "").token)
  }
}
