import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Writing behind")
struct WriteBehindTests {
  @Test("B50 Many changes end the window early")
  func flushesEarly() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .seconds(60), maximumChanges: 10), at: client.now)
    client.flushAll()
    for number in 1...9 { client.write(number, clock: 1) }
    #expect(client.isFlushAsked == false)
    client.write(10, clock: 1)
    #expect(client.isFlushAsked == true)
  }

  @Test("B50 At most one batch is in flight; later changes wait, in bounded space")
  func oneInFlight() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    client.flushAll()
    client.write(1, clock: 1)
    client.wait(.milliseconds(10))
    let first = try client.take()
    for clock in 2...500 {
      client.write(1, clock: UInt64(clock))
      client.wait(.milliseconds(50))
      #expect(client.isFlushAsked == false)
    }
    client.complete(first)
    #expect(client.isFlushAsked == true, "the window of what changed meanwhile is over")
    #expect(try client.take().entities.map(\.version.clock) == [500])
  }

  @Test("B50 With nothing to write there is no deadline, and reads set none")
  func quiet() throws {
    var client = try PersistentClient()
    let server = NoteServer()
    client.store.persist(WriteBehind(), at: client.now)
    _ = client.client.load(.folder(1), from: server)
    client.flushAll()
    #expect(client.store.nextDeadline == nil)
    #expect(client.store.isStored == true)
    client.client.read(.folder(1))
    #expect(client.store.nextDeadline == nil)
    client.store.flush(at: client.now)
    client.client.collect()
    let uses = try client.take().uses
    #expect(uses.map(\.key) == [NoteQuery.folder(1).key()])
  }

  @Test("B54 A failed batch is written again with the changes since, later each time")
  func retries() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    client.flushAll()
    client.write(1, clock: 1)
    client.delete(2, clock: 1)
    client.wait(.milliseconds(10))
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
      let batch = try client.take()
      #expect(batch.entities.count >= 1)
      client.fail(batch, .full("it"))
      client.write(3, clock: UInt64(pause))
      client.wait(.seconds(pause) - .milliseconds(1))
      #expect(client.isFlushAsked == false)
      client.wait(.milliseconds(1))
      #expect(client.isFlushAsked == true)
    }
    let last = try client.take()
    #expect(Set(last.entities.map(\.key)) == [.note(1), .note(3)])
    client.complete(last)
    #expect(client.store.isStored == true)
  }

  @Test("B54 Once a batch is written, the next that fails waits a second again")
  func retriesBeginAnew() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    client.flushAll()
    for failures in [3, 2] {
      client.write(1, clock: UInt64(10 - failures))
      client.wait(.milliseconds(10))
      for failure in 0..<failures {
        client.fail(try client.take(), .full("it"))
        client.wait(.seconds(1 << failure) - .milliseconds(1))
        #expect(client.isFlushAsked == false)
        client.wait(.milliseconds(1))
        #expect(client.isFlushAsked == true)
      }
      client.complete(try client.take())
    }
    #expect(client.store.isStored == true)
  }

  @Test("B54 After corruption everything is written again")
  func rewrites() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    for number in 1...5 { client.write(number, clock: 1) }
    client.flushAll()
    client.write(6, clock: 1)
    client.wait(.milliseconds(10))
    client.fail(try client.take(), .corrupt("it", keptAside: nil))
    client.wait(.seconds(1))
    let batch = try client.take()
    #expect(batch.replacesAll)
    #expect(batch.entities.count == 6)
  }

  @Test(
    "B54 Changes that can no longer be written are given up; the cache continues",
    arguments: [
      StorageError.readOnly("it"), .newerSchema(found: 2, supported: 1, "it"), .closed,
    ])
  func givesUp(error: StorageError) throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    client.write(1, clock: 1)
    client.wait(.milliseconds(10))
    client.fail(try client.take(), error)
    client.write(2, clock: 1)
    client.wait(.seconds(100))
    #expect(client.isFlushAsked == false)
    #expect(client.store.isPersistent == false)
    #expect(client.store.residentEntities == 2)
  }

  @Test("B50 More removals than are remembered make the next batch replace everything")
  func overflow() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .seconds(10)), at: client.now)
    let keys = (0..<52_000).map { EntityKey.note($0) }
    let version = Version(clock: 1, device: 1)
    let notes = keys.map {
      VersionedEntity(key: $0, version: version, payload: Note(folder: 0, title: ""))
    }
    client.client.receive(EventEnvelope(place: nil, event: .batchChanged(notes)))
    client.flushAll()
    let deleted = Array(keys.dropLast(10))
    client.client.receive(EventEnvelope(place: nil, event: .deleted(deleted, version: version)))
    client.store.flush(at: client.now)
    let batch = try client.take()
    #expect(batch.replacesAll)
    #expect(batch.removedEntities.isEmpty)
    #expect(batch.entities.count == 10)
  }

  @Test(
    "B6 A deletion reaches the storage, and an entity that came and went within a window does not")
  func deletions() throws {
    var client = try PersistentClient()
    client.store.persist(WriteBehind(window: .milliseconds(10)), at: client.now)
    client.write(1, clock: 1)
    client.flushAll()
    client.delete(1, clock: 2)
    client.write(2, clock: 1)
    client.delete(2, clock: 2)
    client.wait(.milliseconds(10))
    let batch = try client.take()
    #expect(batch.removedEntities == [.note(1)])
    #expect(batch.entities.isEmpty)
    #expect(batch.progress.forgotten == Version(clock: 2, device: 1))
  }
}
