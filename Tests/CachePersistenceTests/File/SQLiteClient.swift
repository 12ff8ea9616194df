import CacheModel
import CachePersistence
import FaultSearch
import NormalizedCache
import TidemarkTestSupport

/// A store with a hand-driven shell whose batches go into a file, and into memory beside it.
struct SQLiteClient: ~Copyable {
  typealias Mutation = ClientMutation<Note, NoteSchema.Change>

  var client: NoteClient
  let file: SQLiteStorage
  /// What the file must hold.
  private(set) var model = MemoryStorage<[UInt8], EncodedMutation>()
  static let wallClock = Instant(nanoseconds: 1_700_000_000_000_000_000)

  init(
    _ configuration: SQLiteStorage.Configuration, _ composition: PolicyComposition = .test()
  ) async throws {
    let file = SQLiteStorage(configuration)
    let stored = try await file.load()
    var batch = CacheStorage.Batch(number: 1, replacesAll: true)
    batch.entities = stored.entities
    batch.queries = stored.queries
    batch.progress = stored.progress
    batch.outbox = stored.outbox
    let decoded = try Self.decoded(stored)
    client = try NoteClient(composition)
    self.file = file
    model.begin(batch)
    _ = model.finish()
    client.store.restore(decoded, wallClock: Self.wallClock, at: client.now)
    client.store.persist(WriteBehind(window: .zero), at: client.now)
    client.collect()
  }

  /// Writes what has changed into both.
  mutating func flush(outbox: [EncodedMutation]? = nil) async throws {
    client.store.flush(at: client.now)
    client.collect()
    client.isFlushAsked = false
    let wallClock = Self.wallClock.advanced(byNanoseconds: client.now.nanoseconds)
    guard let batch = client.store.takeBatch(wallClock: wallClock, at: client.now) else { return }
    var encoded = try Self.encoded(batch)
    encoded.outbox = outbox
    model.begin(encoded)
    _ = model.finish()
    try await file.write(encoded)
    client.store.completeFlush(batch.number, at: client.now)
  }

  static func encoded(_ batch: StorageBatch<Note, Mutation>) throws -> CacheStorage.Batch {
    var encoded = CacheStorage.Batch(number: batch.number, replacesAll: batch.replacesAll)
    encoded.schemaVersion = 1
    encoded.removedEntities = batch.removedEntities
    encoded.entities = try batch.entities.map { entity in
      StoredEntity(
        key: entity.key, version: entity.version,
        payload: try entity.payload.map { try NoteCodec().encode($0, of: entity.key) },
        library: entity.library, verification: entity.verification, writtenAt: entity.writtenAt)
    }
    encoded.removedQueries = batch.removedQueries
    encoded.queries = batch.queries
    encoded.uses = batch.uses
    encoded.progress = batch.progress
    return encoded
  }

  static func decoded(_ stored: CacheStorage.State) throws -> StoredState<Note, Mutation> {
    StoredState(
      entities: try stored.entities.map { entity in
        StoredEntity(
          key: entity.key, version: entity.version,
          payload: try entity.payload.map {
            try NoteCodec().decode($0, of: entity.key, schemaVersion: 1)
          },
          library: entity.library, verification: entity.verification,
          writtenAt: entity.writtenAt)
      }, queries: stored.queries, progress: stored.progress)
  }
}
