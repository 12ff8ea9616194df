public import CacheModel

/// Keeping a cache across restarts.
extension NormalizedCache {
  /// Creates a cache with the contents of a storage, and writes later changes there.
  ///
  /// Changes are written behind: one batch per ``WriteBehind/window``, outside the actor, so no event waits
  /// for the disk, and a crash loses at most the window and the write in progress. If the storage fails, the
  /// cache continues in memory: see ``storageState``.
  ///
  /// ```swift
  /// let cache = try await NormalizedCache.open(
  ///   composition: composition, schema: schema, source: server,
  ///   storage: SQLiteStorage(path: path), codec: codec)
  /// ```
  ///
  /// - Parameters:
  ///   - composition: the policy; its limits apply to the loaded contents too.
  ///   - schema: the app's data model.
  ///   - source: the server.
  ///   - storage: where the cache is kept; it must not be shared with another cache.
  ///   - codec: encodes the app's values as bytes.
  ///   - writeBehind: when to write.
  ///   - clock: the source of time.
  ///   - instrument: receives the cache's activity; `nil`: no calls and no cost.
  ///   - onRejection: as ``onRejection(_:)``, but also for stored changes, which are sent at once.
  ///   - onStorageError: called on the actor with each failure, and with the stored changes that the codec
  ///     cannot decode: they are not sent.
  /// - Returns: the cache with the stored contents; its ``restoreReport`` says how much was restored.
  /// - Throws: ``CachePolicyError`` if the policy is invalid.
  public static func open(
    composition: CachePolicy, schema: Schema, source: any CacheSource<Payload, Schema.Change>,
    storage: any CacheStorage, codec: any StorageCodec<Payload, Schema.Change>,
    writeBehind: WriteBehind = WriteBehind(), clock: any CacheClock = ContinuousCacheClock(),
    instrument: (any CacheInstrument)? = nil, onRejection: RejectionHandler? = nil,
    onStorageError: (@Sendable (StorageError) -> Void)? = nil
  ) async throws(CachePolicyError) -> NormalizedCache {
    let cache = try NormalizedCache(
      composition: composition, schema: schema, source: source, clock: clock,
      instrument: instrument)
    let writer = StorageWriter(storage: storage, codec: codec)
    await cache.onRejection(onRejection)
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
      let (stored, isCurrent, undecodable, lost) = try await writer.load()
      var report = store.restore(stored, wallClock: clock.wallClock, at: clock.now)
      report.undecodable = undecodable
      restoreReport = report
      if !isCurrent { store.rewriteStorage() }
      storageState = .working
      if !lost.isEmpty { onStorageError?(.undecodable(lost)) }
    } catch {
      // Contents that could not be read are never overwritten; corrupt files were set aside.
      guard error.remedy == .rewrite else {
        abandonStorage(error)
        return
      }
      noteStorageFailure(.failing(error))
    }
    store.persist(settings, at: clock.now)
    carryOut()
  }

  /// Writes everything committed before the call, without waiting for the end of the window.
  ///
  /// Call it when the app may be terminated: it goes to the background, or quits.
  ///
  /// - Throws: why the changes were not written; the cache will retry.
  @inlinable public func flush() async throws(StorageError) {
    if let flushTask { await flushTask.value }
    store.flush(at: clock.now)
    carryOut()
    if let flushTask { await flushTask.value }
    if let error = storageState.error { throw error }
  }

  /// Writes pending changes and closes the storage; the cache continues in memory.
  ///
  /// - Throws: why the last changes were not written; the storage is closed nevertheless.
  public func close() async throws(StorageError) {
    guard storageWriter != nil else { return }
    let failure: StorageError?
    do {
      try await flush()
      failure = nil
    } catch {
      failure = error
    }
    // Batches that changes made meanwhile have begun.
    while let flushTask { await flushTask.value }
    // Unless another call or a failure has closed it.
    if let storageWriter {
      self.storageWriter = nil
      store.stopPersisting()
      storageState = .closed
      await storageWriter.close()
    }
    if let failure { throw failure }
  }

  /// Takes a batch and has it written outside the actor.
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

/// Storage that preserves a cache across restarts.
///
/// The cache guarantees that ``load()`` is the first call, that calls do not overlap, and that no call
/// follows ``close()``. The storage guarantees that a batch is written as a whole or not at all, even if the
/// process is killed, and that it never overwrites contents that it could not read.
///
/// Methods never run on the cache's actor: a slow storage delays only the next batch.
public protocol CacheStorage: Sendable {
  /// A batch whose values are encoded as bytes.
  typealias Batch = StorageBatch<[UInt8], EncodedMutation>
  typealias State = StoredState<[UInt8], EncodedMutation>

  /// Opens the storage, creating it if necessary, and reads all of it.
  func load() async throws(StorageError) -> State

  /// Writes one batch in one transaction.
  func write(_ batch: Batch) async throws(StorageError)

  /// Closes the storage and releases its resources.
  func close() async
}

/// The state of a cache's storage.
public enum StorageState: Hashable, Sendable {
  /// The cache has no storage.
  case none
  /// Commits are written within the write-behind window.
  case working
  /// The last write failed; the cache will retry.
  case failing(StorageError)
  /// The storage is unusable; the cache continues in memory.
  case abandoned(StorageError)
  /// The app closed the storage; the cache continues in memory.
  case closed

  /// Why commits do not reach the storage; `nil` if they do, or there is no storage.
  public var error: StorageError? {
    switch self {
    case .failing(let error), .abandoned(let error): error
    case .none, .working, .closed: nil
    }
  }
}

/// Encodes and writes outside the cache's actor.
@usableFromInline actor StorageWriter<Payload: Sendable, Change: Sendable> {
  @usableFromInline typealias Mutation = ClientMutation<Payload, Change>

  private let storage: any CacheStorage
  private let codec: any StorageCodec<Payload, Change>

  init(storage: any CacheStorage, codec: any StorageCodec<Payload, Change>) {
    self.storage = storage
    self.codec = codec
  }

  /// Returns the stored contents, whether this codec would store them in the same form, how much it could not
  /// decode, and the queued mutations among that.
  func load() async throws(StorageError) -> (
    state: StoredState<Payload, Mutation>, isCurrent: Bool, undecodable: Int, lost: [MutationToken]
  ) {
    let stored = try await storage.load()
    let (state, undecodable, lost) = codec.decode(stored)
    let isEmpty = stored.entities.isEmpty && stored.outbox.isEmpty
    let isCurrent = stored.schemaVersion == codec.schemaVersion || isEmpty
    return (state, isCurrent && undecodable == 0, undecodable, lost)
  }

  /// Writes a batch, and returns the error; `nil`: it was written.
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

extension StorageError {
  /// The loss of queued mutations that the codec cannot decode.
  static func undecodable(_ lost: [MutationToken]) -> StorageError {
    let tokens = lost.map { "\($0.rawValue)" }.joined(separator: ", ")
    return .failed(
      "the storage holds queued changes that the codec cannot decode, of the mutations \(tokens); they "
        + "are not sent, have the user make them again, and have the codec read earlier versions")
  }
}
