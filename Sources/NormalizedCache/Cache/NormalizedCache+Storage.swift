public import CacheModel

/// Keeping a cache across restarts.
extension NormalizedCache {
  /// Makes a cache with what a storage has kept, and keeps it there from then on.
  ///
  /// Changes are written behind: a batch each ``WriteBehind/window``, beside the actor, so no event
  /// waits for the disk, and a crash costs at most the window and the write under way. Where the
  /// storage fails the cache goes on in memory: see ``storageState``.
  ///
  /// ```swift
  /// let cache = try await NormalizedCache.open(
  ///   composition: composition, schema: schema, source: server,
  ///   storage: SQLiteStorage(path: path), codec: codec)
  /// ```
  ///
  /// - Parameters:
  ///   - composition: the policy, whole; its limits hold for what is loaded too.
  ///   - schema: what there is to know of the app's data.
  ///   - source: the server.
  ///   - storage: where to keep the cache; one cache each.
  ///   - codec: the app's values as bytes.
  ///   - writeBehind: when to write.
  ///   - clock: where time comes from.
  ///   - instrument: notified of what the cache does; `nil`: no such calls, and no cost.
  ///   - onStorageError: called with each failure, on the actor.
  /// - Returns: the cache, with what was stored; its ``restoreReport`` says how much that was.
  /// - Throws: ``CachePolicyError`` where the composition cannot be carried out.
  public static func open(
    composition: CachePolicy, schema: Schema, source: any CacheSource<Payload, Schema.Change>,
    storage: any CacheStorage, codec: any StorageCodec<Payload, Schema.Change>,
    writeBehind: WriteBehind = WriteBehind(), clock: any CacheClock = ContinuousCacheClock(),
    instrument: (any CacheInstrument)? = nil,
    onStorageError: (@Sendable (StorageError) -> Void)? = nil
  ) async throws(CachePolicyError) -> NormalizedCache {
    let cache = try NormalizedCache(
      composition: composition, schema: schema, source: source, clock: clock,
      instrument: instrument)
    let writer = StorageWriter(storage: storage, codec: codec)
    await cache.attach(writer, writeBehind, onStorageError)
    return cache
  }

  private func attach(
    _ writer: StorageWriter<Payload, Schema.Change>, _ settings: WriteBehind,
    _ onError: (@Sendable (StorageError) -> Void)?
  ) async {
    onStorageError = onError
    storageWriter = writer
    do {
      let (stored, isCurrent, undecodable) = try await writer.load()
      var report = store.restore(stored, wallClock: clock.wallClock, at: clock.now)
      report.undecodable = undecodable
      restoreReport = report
      if !isCurrent { store.rewriteStorage() }
      storageState = .working
    } catch {
      // What could not be read is never written over; what is corrupt was put aside.
      guard error.remedy == .rewrite else {
        abandonStorage(error)
        return
      }
      noteStorageFailure(.failing(error))
    }
    store.persist(settings, at: clock.now)
    carryOut()
  }

  /// Writes what was committed before the call, without waiting for the end of the window.
  ///
  /// For moments at which an app may be ended: it goes to the background, or quits.
  ///
  /// - Throws: why it was not written; it is tried again.
  @inlinable public func flush() async throws(StorageError) {
    if let flushTask { await flushTask.value }
    store.flush(at: clock.now)
    carryOut()
    if let flushTask { await flushTask.value }
    if let error = storageState.error { throw error }
  }

  /// Writes what there is and closes the storage; the cache goes on in memory.
  ///
  /// - Throws: why the last of it was not written; the storage is closed all the same.
  public func close() async throws(StorageError) {
    guard storageWriter != nil else { return }
    let failure: StorageError?
    do {
      try await flush()
      failure = nil
    } catch {
      failure = error
    }
    // Unless another call has closed it, or the failure ended it.
    if let storageWriter {
      self.storageWriter = nil
      store.stopPersisting()
      storageState = .closed
      await storageWriter.close()
    }
    if let failure { throw failure }
  }

  /// Takes a batch and has it written beside the actor.
  @inlinable func beginFlush() {
    guard let writer = storageWriter,
      let batch = store.takeBatch(wallClock: clock.wallClock, at: clock.now)
    else { return }
    flushTask = Task(priority: .utility) { [weak self] in
      let error = await writer.write(batch)
      await self?.finishFlush(batch.number, error)
    }
  }

  @usableFromInline func finishFlush(_ number: UInt64, _ error: StorageError?) {
    flushTask = nil
    guard storageWriter != nil else { return }
    if let error {
      store.failFlush(number, error, at: clock.now)
      if store.isPersistent {
        noteStorageFailure(.failing(error))
      } else {
        abandonStorage(error)
      }
    } else {
      storageState = .working
      store.completeFlush(number, at: clock.now)
    }
    carryOut()
  }

  @usableFromInline func abandonStorage(_ error: StorageError) {
    let writer = storageWriter
    storageWriter = nil
    noteStorageFailure(.abandoned(error))
    if let writer { Task { await writer.close() } }
  }

  @usableFromInline func noteStorageFailure(_ state: StorageState) {
    storageState = state
    if let error = state.error { onStorageError?(error) }
  }
}

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

/// How a cache stands with its storage.
public enum StorageState: Hashable, Sendable {
  /// It has none.
  case none
  /// What is committed is written within the flush window.
  case working
  /// The last write failed; it is tried again.
  case failing(StorageError)
  /// The storage cannot be used; the cache goes on in memory.
  case abandoned(StorageError)
  /// The app closed it; the cache goes on in memory.
  case closed

  /// Why what is committed does not reach the storage; `nil` where it does, or there is none.
  public var error: StorageError? {
    switch self {
    case .failing(let error), .abandoned(let error): error
    case .none, .working, .closed: nil
    }
  }
}

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
