import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import NormalizedCache
import SimulatedStorage

/// A store with a hand-driven shell whose batches go into a file, and into memory.
struct SQLiteClient: ~Copyable {
  var client: NoteClient
  let file: SQLiteStorage
  /// The required content of the file.
  private(set) var model = MemoryStorage<[UInt8], EncodedMutation>()
  static let wallClock = Instant(nanoseconds: 1_700_000_000_000_000_000)

  init(
    _ configuration: SQLiteStorage.Configuration, _ composition: CachePolicy = .test()
  ) async throws {
    let file = SQLiteStorage(configuration)
    let stored = try await file.load()
    var batch = CacheStorage.Batch(number: 1, replacesAll: true)
    batch.entities = stored.entities
    batch.queries = stored.queries
    batch.progress = stored.progress
    batch.outbox = stored.outbox
    var decoded = NoteCodec().decode(stored).state
    // The outbox is the test's own.
    decoded.outbox = []
    client = try NoteClient(composition)
    self.file = file
    model.begin(batch)
    _ = model.finish()
    client.store.restore(decoded, wallClock: Self.wallClock, at: client.now)
    client.store.persist(WriteBehind(window: .zero), at: client.now)
    client.collect()
  }

  /// Writes the changes into both.
  mutating func flush(outbox: [EncodedMutation]? = nil) async throws {
    client.store.flush(at: client.now)
    client.collect()
    client.isFlushAsked = false
    let wallClock = Self.wallClock.advanced(byNanoseconds: client.now.nanoseconds)
    guard let batch = client.store.takeBatch(wallClock: wallClock, at: client.now) else { return }
    var encoded = try NoteCodec().encode(batch)
    encoded.outbox = outbox
    model.begin(encoded)
    _ = model.finish()
    try await file.write(encoded)
    client.store.completeFlush(batch.number, at: client.now)
  }
}
