/// Where a cache is kept while its process is away.
///
/// The cache guarantees: ``load()`` comes first, at most one call is under way, and after
/// ``close()`` there is none. The storage guarantees: a batch is written whole or not at all, also when
/// the process is killed; what it could not read it keeps for others, and never writes over.
///
/// Called beside the cache's actor, never on it: a slow storage delays only the next batch.
public protocol CacheStorage: Sendable {
  /// A batch with values as bytes.
  typealias Batch = StorageBatch<[UInt8], EncodedMutation>
  typealias State = StoredState<[UInt8], EncodedMutation>

  /// Opens the storage, making it if there is none, and reads all of it.
  func load() async throws(StorageError) -> State

  /// Writes one batch in one transaction.
  func write(_ batch: Batch) async throws(StorageError)

  /// Lets go of what was opened.
  func close() async
}
