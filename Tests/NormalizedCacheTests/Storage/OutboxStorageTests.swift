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

  @Test("B49 A queued mutation is stored immediately, and sent only when the storage has it")
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

  @Test("B49 If the storage fails, queued mutations are sent all the same")
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

  @Test("B49 A change made while the storage fails is tried within a second of the last failure")
  func pauseOfFailingStorage() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    client.flushAll()
    client.write(1, clock: 1)
    client.wait(.milliseconds(10))
    for pause in [1, 2, 4, 8, 16] {
      client.fail(try client.take(), .full("it"))
      client.wait(.seconds(pause))
    }
    client.fail(try client.take(), .full("it"))
    client.wait(.milliseconds(200))
    try client.client.enqueue(Self.mutation(1, title: "a"))
    client.wait(.milliseconds(799))
    #expect(client.isFlushAsked == false)
    client.wait(.milliseconds(1))
    #expect(client.isFlushAsked == true)
    client.fail(try client.take(), .full("it"))
    #expect(client.client.sends == [.mutation(1)], "the failure costs persistence only")
    client.wait(.seconds(59))
    #expect(client.isFlushAsked == false, "without another change the pauses go on as before")
    try client.client.enqueue(Self.mutation(2, title: "b"))
    #expect(client.isFlushAsked == true)
    let batch = try client.take()
    try client.client.enqueue(Self.mutation(3, title: "c"))
    client.fail(batch, .full("it"))
    #expect(client.isFlushAsked == false, "one that was made during the attempt waits as well")
    client.wait(.seconds(1))
    #expect(client.isFlushAsked == true)
  }

  @Test("B49 B55 After a restart queued changes show over confirmed rows, and are sent in order")
  func restart() throws {
    let server = NoteServer(writing: (1, Note(folder: 1, title: "confirmed")))
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

/// A store with a hand-driven shell, and a storage that the test plays.
struct PersistentClient: ~Copyable {
  typealias Batch = CacheStore<NoteSchema>.Batch

  var client: NoteClient
  static let wallClock = Instant(nanoseconds: 1_000_000_000_000_000)

  init(_ composition: CachePolicy = .test()) throws {
    client = try NoteClient(composition)
  }

  var store: CacheStore<NoteSchema> {
    _read { yield client.store }
    _modify { yield &client.store }
  }
  var now: Instant { client.now }
  var isFlushAsked: Bool { client.isFlushAsked }
  var wallClock: Instant { Self.wallClock.advanced(byNanoseconds: now.nanoseconds) }

  mutating func write(_ number: Int, clock: UInt64) {
    client.write(number, Note(folder: 1, title: "n"), clock: clock)
  }

  mutating func delete(_ number: Int, clock: UInt64) {
    client.delete(number, clock: clock)
  }

  mutating func wait(_ duration: Duration) {
    client.wait(duration)
  }

  /// - Throws: where the store has none to give.
  mutating func take() throws -> Batch {
    client.isFlushAsked = false
    guard let batch = client.store.takeBatch(wallClock: wallClock, at: now) else {
      throw NoBatch()
    }
    return batch
  }

  struct NoBatch: Error {}

  mutating func complete(_ batch: Batch) {
    client.store.completeFlush(batch.number, at: now)
    client.collect()
  }

  mutating func fail(_ batch: Batch, _ error: StorageError) {
    client.store.failFlush(batch.number, error, at: now)
    client.collect()
  }

  /// Has everything written, and everything after that forgotten.
  mutating func flushAll() {
    client.store.flush(at: now)
    client.collect()
    if let batch = try? take() { complete(batch) }
  }
}
