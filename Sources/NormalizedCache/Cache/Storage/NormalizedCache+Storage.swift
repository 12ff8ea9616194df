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
  ///   - instrument: told of what the cache does; `nil`: no such calls, and no cost.
  ///   - onStorageError: called with each failure, on the actor.
  /// - Returns: the cache, with what was stored; its ``restoreReport`` says how much that was.
  /// - Throws: ``CompositionError`` where the composition cannot be carried out.
  public static func open(
    composition: PolicyComposition, schema: Schema, source: any CacheSource<Payload, Schema.Change>,
    storage: any CacheStorage, codec: any StorageCodec<Payload, Schema.Change>,
    writeBehind: WriteBehind = WriteBehind(), clock: any CacheClock = ContinuousCacheClock(),
    instrument: (any CacheInstrument)? = nil,
    onStorageError: (@Sendable (StorageError) -> Void)? = nil
  ) async throws(CompositionError) -> NormalizedCache {
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
