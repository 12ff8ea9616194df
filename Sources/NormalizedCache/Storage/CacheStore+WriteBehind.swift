public import CacheModel

/// Deciding when to write: the shell is asked by ``CacheAction/flush``, takes one batch, and says how
/// it went.
extension CacheStore {
  /// Begins to keep a record of changes, and to ask for flushes.
  ///
  /// After ``restore(_:wallClock:at:)`` only what changes from then on is written; otherwise the first
  /// batch replaces what the storage has. O(slots + queries).
  @inlinable public mutating func persist(_ settings: WriteBehind = WriteBehind(), at now: Instant)
  {
    beginCommit(at: now)
    defer { endCommit() }
    var state = WriteBehindState(settings: settings, rewritesAll: !isRestoredWhole)
    entities.changes.isOn = true
    queries.changes.isOn = true
    if isRestoredWhole {
      noteAllStored()
      state.cursors = streams.map(\.cursor)
      state.verifications = verifications
    }
    writeBehind = state
  }

  /// Has the first batch replace what the storage has: it is not in the form in which this program
  /// writes.
  @inlinable mutating func rewriteStorage() { isRestoredWhole = false }

  /// Whether changes are kept for a storage.
  @inlinable public var isPersistent: Bool { writeBehind != nil }

  /// Whether everything that was committed is stored.
  @inlinable public var isStored: Bool {
    guard let writeBehind else { return true }
    if case .writing = writeBehind.phase { return false }
    return !hasChanges(since: writeBehind)
  }

  /// Asks for a flush without waiting for the end of the window, or of a pause after a failure.
  ///
  /// While a batch is in flight it asks for nothing.
  @inlinable public mutating func flush(at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let phase = writeBehind?.phase, hasChanges || queries.changes.listed.count > 0 else {
      return
    }
    switch phase {
    case .waiting, .backingOff:
      writeBehind?.phase = .requested
      actions.append(.flush)
    case .requested, .writing: break
    }
  }

  /// The end of a commit: notes when there is something to write, and asks for it when it is due.
  @inlinable mutating func scheduleFlush() {
    guard let state = writeBehind else { return }
    if state.changedAt == nil, hasChanges(since: state) { writeBehind?.changedAt = now }
    guard let deadline = writeBehind?.deadline else { return }
    var isDue = deadline <= now
    if case .waiting = state.phase {
      isDue =
        isDue || entities.changes.count + queries.changes.count >= state.settings.maximumChanges
    }
    guard isDue else { return }
    writeBehind?.phase = .requested
    actions.append(.flush)
  }

  @inlinable var hasChanges: Bool { writeBehind.map { hasChanges(since: $0) } ?? false }

  /// O(streams).
  @inlinable func hasChanges(since state: borrowing WriteBehindState) -> Bool {
    if state.rewritesAll || !entities.changes.isEmpty || !queries.changes.isEmpty
      || state.verifications != verifications || state.cursors.count != streams.count
    {
      return true
    }
    return streams.indices.contains { streams[$0].cursor != state.cursors[$0] }
  }

  /// Takes what has changed since the last batch, as it stands between two commits.
  ///
  /// Values are copied, not encoded. O(changes + members of changed lists); O(slots + queries) for a
  /// batch that replaces everything.
  ///
  /// - Parameters:
  ///   - wallClock: the wall clock at `now`, from which every age goes on after a restart.
  ///   - now: the time.
  /// - Returns: the batch; `nil` unless a flush was asked for.
  @inlinable public mutating func takeBatch(
    wallClock: Instant, at now: Instant
  ) -> Batch? {
    self.now = max(self.now, now)
    guard case .requested = writeBehind?.phase else { return nil }
    defer { deadline = earliestDeadline }
    return takeBatch(offset: wallClock.nanoseconds &- self.now.nanoseconds)
  }

  @inlinable mutating func takeBatch(offset: Int64) -> Batch {
    var state = writeBehind ?? WriteBehindState(settings: WriteBehind(), rewritesAll: true)
    state.lastNumber += 1
    let replacesAll =
      state.rewritesAll || entities.changes.hasOverflowed || queries.changes.hasOverflowed
    var batch = Batch(number: state.lastNumber, replacesAll: replacesAll)
    batch.progress = storedProgress
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
      state.inFlight.entities = changedEntities
      state.inFlight.queries = changedQueries
      state.inFlight.removedEntities = batch.removedEntities
      state.inFlight.removedQueries = batch.removedQueries
    }
    state.inFlight.replacesAll = replacesAll
    state.rewritesAll = false
    state.cursors = streams.map(\.cursor)
    state.verifications = verifications
    state.changedAt = nil
    state.phase = .writing
    writeBehind = state
    return batch
  }

  /// The batch in flight was written whole.
  ///
  /// A number that is not in flight is ignored.
  @inlinable public mutating func completeFlush(_ number: UInt64, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard isInFlight(number) else { return }
    writeBehind?.inFlight = ChangesInFlight()
    writeBehind?.failures = 0
    writeBehind?.phase = .waiting
  }

  /// The batch in flight was not written, not in part either.
  ///
  /// It is written again with what has changed since, later each time; where the storage cannot be
  /// used any more, the cache goes on in memory. A number that is not in flight is ignored.
  @inlinable public mutating func failFlush(
    _ number: UInt64, _ error: StorageError, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard isInFlight(number), var state = writeBehind else { return }
    guard error.remedy != .giveUp else { return stopPersisting() }
    let inFlight = state.inFlight
    state.inFlight = ChangesInFlight()
    if inFlight.replacesAll || error.remedy == .rewrite { state.rewritesAll = true }
    entities.changes.restore(inFlight.entities, removed: inFlight.removedEntities)
    queries.changes.restore(inFlight.queries, removed: inFlight.removedQueries)
    // No cursor equals none at all: progress is written again.
    state.cursors = []
    state.verifications = verifications &- 1
    state.changedAt = state.changedAt ?? self.now
    state.backOff(from: self.now)
    writeBehind = state
  }

  /// Keeps no record of changes any longer, and asks for no flush.
  @inlinable mutating func stopPersisting() {
    writeBehind = nil
    entities.changes = ChangeLog()
    queries.changes = ChangeLog()
  }

  @inlinable func isInFlight(_ number: UInt64) -> Bool {
    guard let writeBehind, case .writing = writeBehind.phase else { return false }
    return writeBehind.lastNumber == number
  }

  /// Notes that everything in the tables is in the storage, or in the batch in flight.
  @inlinable mutating func noteAllStored() {
    for slot in 0..<Int32(entities.slotCount) where entities.isInUse(slot) {
      entities.changes.noteStored(slot)
    }
    for query in queries.indices where isStorable(query) { queries.changes.noteStored(query) }
  }
}
