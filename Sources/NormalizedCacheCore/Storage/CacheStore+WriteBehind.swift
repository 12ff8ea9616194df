public import CacheModel

/// Decides when to write: ``CacheAction/flush`` asks the shell to take a batch and report the result.
extension CacheStore {
  /// Begins to record changes for a storage, and to request flushes.
  ///
  /// After ``restore(_:wallClock:at:)`` only later changes are written; otherwise the first batch replaces
  /// the storage's contents. O(slots + queries).
  @inlinable public mutating func persist(_ settings: WriteBehind = WriteBehind(), at now: Instant)
  {
    beginCommit(at: now)
    defer { endCommit() }
    var state = WriteBehindState(settings: settings, rewritesAll: !persistence.isRestoredWhole)
    entities.changes.isOn = true
    queries.changes.isOn = true
    if persistence.isRestoredWhole {
      noteAllStored()
      persistence.noteStored(streams.cursors)
      state.verifications = libraries.verifications
      state.outboxRevision = optimistic.outbox.revision
    }
    optimistic.outbox.durableRevision = 0
    persistence.writeBehind = state
  }

  /// Makes the first batch replace the storage's contents, which are in an older form.
  @inlinable package mutating func rewriteStorage() { persistence.didRestore(isWhole: false) }

  /// Whether changes are recorded for a storage.
  @inlinable public var isPersistent: Bool { persistence.isOn }

  /// Whether every commit is stored.
  @inlinable public var isStored: Bool {
    guard let state = persistence.writeBehind else { return true }
    return !state.isWriting && !hasChanges(since: state)
  }

  /// Requests a flush without waiting for the end of the window, or of a pause after a failure.
  ///
  /// Has no effect while a batch is in flight.
  @inlinable public mutating func flush(at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let phase = persistence.writeBehind?.phase, hasChanges || queries.changes.listed.count > 0
    else {
      return
    }
    switch phase {
    case .waiting, .backingOff:
      persistence.request()
      actions.append(.flush)
    case .requested, .writing: break
    }
  }

  /// Notes unwritten changes at the end of a commit, and requests a flush when it is due.
  @inlinable mutating func scheduleFlush() {
    guard var state = persistence.writeBehind else { return }
    if state.changedAt == nil {
      guard hasChanges(since: state) else { return }
      state.changedAt = now
      persistence.noteChange(at: now)
    }
    if state.isBackingOff, hasUndurableMutation(state) {
      state.shortenPause()
      persistence.shortenPause()
    }
    guard let deadline = state.deadline else { return }
    let isLong =
      state.isWaiting
      && entities.changes.count + queries.changes.count >= state.maximumChanges
    guard deadline <= now || isLong || state.isWaiting && hasUndurableMutation(state) else {
      return
    }
    persistence.request()
    actions.append(.flush)
  }

  /// Returns whether a mutation was queued that the storage does not have: it is sent only afterwards, so it
  /// does not wait for the window, and after failures a second at most.
  @inlinable func hasUndurableMutation(_ state: WriteBehindState) -> Bool {
    guard state.outboxRevision != optimistic.outbox.revision else { return false }
    // Each was queued at a later revision than those before it.
    return (optimistic.lastQueued?.queuedAt ?? 0) > state.outboxRevision
  }

  @inlinable var hasChanges: Bool { persistence.writeBehind.map { hasChanges(since: $0) } ?? false }

  /// O(streams).
  @inlinable func hasChanges(since state: WriteBehindState) -> Bool {
    state.rewritesAll || state.owesProgress || state.verifications != libraries.verifications
      || state.outboxRevision != optimistic.outbox.revision || !entities.changes.isEmpty
      || !queries.changes.isEmpty || streams.hasMoved(since: persistence.cursors)
  }

  /// Takes the changes since the last batch, between two commits.
  ///
  /// Values are copied, not encoded.
  ///
  /// - Complexity: O(changes + members of changed lists); O(slots + queries) for a batch that replaces
  ///   everything.
  /// - Parameters:
  ///   - wallClock: the wall clock at `now`, so that ages continue after a restart.
  ///   - now: the time.
  /// - Returns: the batch; `nil` unless a flush was requested.
  @inlinable public mutating func takeBatch(wallClock: Instant, at now: Instant) -> Batch? {
    current.passTime(to: now)
    guard let state = persistence.writeBehind, case .requested = state.phase else { return nil }
    defer { current.deadline = earliestDeadline }
    return takeBatch(state, offset: wallClock.nanoseconds &- self.now.nanoseconds)
  }

  @inlinable mutating func takeBatch(_ former: WriteBehindState, offset: Int64) -> Batch {
    var state = former
    state.lastNumber += 1
    let replacesAll =
      state.rewritesAll || entities.changes.hasOverflowed || queries.changes.hasOverflowed
    var batch = Batch(number: state.lastNumber, replacesAll: replacesAll)
    batch.progress = storedProgress
    if replacesAll || state.owesProgress || state.outboxRevision != optimistic.outbox.revision {
      batch.outbox = outbox
      if planted(.sentOnesNotStored) {
        batch.outbox?.removeAll { $0.token == optimistic.outbox.inFlight }
      }
      state.outboxRevision = optimistic.outbox.revision
    }
    var taken = ChangesInFlight()
    let changedEntities = entities.changes.takeChanges()
    let changedQueries = queries.changes.takeChanges()
    if replacesAll {
      _ = entities.changes.takeRemoved()
      _ = queries.changes.takeRemoved()
      appendAll(to: &batch, offset: offset)
      noteAllStored()
    } else {
      append(changedEntities, to: &batch, offset: offset)
      append(changedQueries, to: &batch, offset: offset)
      batch.removedEntities = entities.changes.takeRemoved()
      batch.removedQueries = queries.changes.takeRemoved()
      taken.entities = changedEntities
      taken.queries = changedQueries
      taken.removedEntities = batch.removedEntities
      taken.removedQueries = batch.removedQueries
    }
    taken.replacesAll = replacesAll
    taken.cursors = streams.cursors
    state.rewritesAll = false
    state.owesProgress = false
    state.verifications = libraries.verifications
    state.changedAt = nil
    persistence.didTake(taken, state)
    if planted(.cursorStoredAheadOfData) { putOffLastEntity(of: &batch) }
    return batch
  }

  /// Notes that the batch in flight was written as a whole.
  ///
  /// A number that is not in flight is ignored.
  @inlinable public mutating func completeFlush(_ number: UInt64, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard persistence.isInFlight(number) else { return }
    optimistic.outbox.durableRevision = persistence.writeBehind?.outboxRevision
    persistence.didWrite()
  }

  /// Notes that the batch in flight was not written, not even in part.
  ///
  /// It is written again with later changes, with increasing delays; if the storage is unusable, the cache
  /// continues in memory. A number that is not in flight is ignored.
  @inlinable public mutating func failFlush(
    _ number: UInt64, _ error: StorageError, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard persistence.isInFlight(number), var state = persistence.writeBehind else { return }
    guard error.remedy != .giveUp else { return stopPersisting() }
    let failed = persistence.takeInFlight()
    if failed.replacesAll || error.remedy == .rewrite { state.rewritesAll = true }
    entities.changes.restore(failed.entities, removed: failed.removedEntities)
    queries.changes.restore(failed.queries, removed: failed.removedQueries)
    state.owesProgress = true
    // A failed storage costs persistence only; users' changes are sent nevertheless.
    optimistic.outbox.durableRevision = state.outboxRevision
    state.changedAt = state.changedAt ?? self.now
    state.backOff(from: self.now)
    persistence.writeBehind = state
  }

  @inlinable package mutating func stopPersisting() {
    persistence.stop()
    optimistic.outbox.durableRevision = nil
    entities.changes = ChangeLog()
    queries.changes = ChangeLog()
  }

  /// Notes that all contents of the tables are in the storage, or in the batch in flight.
  @inlinable mutating func noteAllStored() {
    for slot in 0..<Int32(entities.slotCount) where entities.isInUse(slot) {
      entities.changes.noteStored(slot)
    }
    for query in queries.indices where isStorable(query) { queries.changes.noteStored(query) }
  }
}
