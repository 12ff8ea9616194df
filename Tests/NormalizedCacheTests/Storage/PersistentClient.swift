import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache

/// A store with a hand-driven shell, and a storage that the test plays.
struct PersistentClient: ~Copyable {
  typealias Batch = CacheStore<NoteSchema>.Batch

  var client: NoteClient
  static let wallClock = Instant(nanoseconds: 1_000_000_000_000_000)

  init(_ composition: PolicyComposition = .test()) throws {
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
