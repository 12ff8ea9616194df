/// Encodes and writes, so that the cache's actor does neither.
@usableFromInline actor StorageWriter<Payload: Sendable, Change: Sendable> {
  @usableFromInline typealias Mutation = ClientMutation<Payload, Change>

  private let storage: any CacheStorage
  private let codec: any StorageCodec<Payload, Change>

  init(storage: any CacheStorage, codec: any StorageCodec<Payload, Change>) {
    self.storage = storage
    self.codec = codec
  }

  /// What was stored, whether it is as this codec would store it, and how much it could not decode.
  func load() async throws(StorageError) -> (
    state: StoredState<Payload, Mutation>, isCurrent: Bool, undecodable: Int
  ) {
    let stored = try await storage.load()
    let (state, undecodable) = codec.decode(stored)
    let isEmpty = stored.entities.isEmpty && stored.outbox.isEmpty
    let isCurrent = stored.schemaVersion == codec.schemaVersion || isEmpty
    return (state, isCurrent && undecodable == 0, undecodable)
  }

  /// Returns why the batch was not written; `nil`: it was.
  @usableFromInline func write(_ batch: StorageBatch<Payload, Mutation>) async -> StorageError? {
    do {
      try await storage.write(try codec.encode(batch))
      return nil
    } catch let error as StorageError {
      return error
    } catch {
      return .failed("a pending mutation cannot be encoded: \(error)")
    }
  }

  @usableFromInline func close() async { await storage.close() }
}
