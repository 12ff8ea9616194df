import CacheFiles
package import CacheModel
import EvictionPolicies

enum CurrentOperation<Key: ResponseKey>: Sendable {
  case open
  case body(Key, BodyVersion, origin: UInt64, number: UInt64)
  case deletion(BodyFile<Key>)
  case flush(through: UInt64, entries: Int)
}

package enum ChangeState: Hashable, Sendable {
  case waiting
  case written
  case failed
}

extension ResponseStore {
  /// Returns whether a change would survive the process ending now.
  package func state(of change: UInt64) -> ChangeState {
    if !canStore || metadata.failed >= change && metadata.flushed < change { return .failed }
    if change == unclearedChange || hasSidecars && !undeleted.isEmpty { return .failed }
    return metadata.flushed >= change && clearing == nil && !isForgetting ? .written : .waiting
  }

  private var hasSidecars: Bool { options.metadataLayout == .sidecars }

  /// Whether metadata of removed entries is still to be deleted.
  private var isForgetting: Bool { hasSidecars && isRemoving }

  /// Whether files of removed entries are still to be deleted.
  var isRemoving: Bool {
    if case .deletion? = current { return true }
    return deletions.count > 0
  }

  /// Returns whether no metadata of an entry's current state is written; there may be some of an earlier one.
  private func isForgotten(_ entry: Entry?) -> Bool {
    entry.map { $0.created > metadata.flushed } ?? true
  }

  /// Whether no operation is due or in progress.
  package var isIdle: Bool {
    current == nil && isOpen
      && (!canStore
        || !metadata.isUrgent && clearing == nil && deletions.count == 0 && pending.count == 0)
  }

  /// The time at which to request the next operation, if nothing happens before.
  package var nextDeadline: Instant? {
    guard canStore, current == nil else { return nil }
    return [metadata.due(options.flushInterval), sweepDue].compactMap(\.self).min()
  }

  /// Requests that all metadata is written at once.
  package mutating func flush() -> UInt64 {
    metadata.urge()
    return metadata.last
  }

  // MARK: Beginning

  /// Returns the next operation on files; `nil`: there is none, or one is in progress.
  package mutating func nextOperation(at now: Instant) -> StoreOperation<Key, Body>? {
    guard current == nil else { return nil }
    guard isOpen else {
      current = .open
      return .open
    }
    guard canStore else { return nil }
    if let sweepDue, sweepDue <= now { sweep(at: now) }
    keepToLimits(at: now)
    if metadata.isUrgent { return beginFlush() }
    if planted(.deletionsBlind), let operation = nextBody(at: now) { return operation }
    // Before bodies are written, to free space.
    if let operation = nextDeletion() ?? nextBody(at: now) { return operation }
    if let due = metadata.due(options.flushInterval), due <= now { return beginFlush() }
    return nil
  }

  private mutating func nextDeletion() -> StoreOperation<Key, Body>? {
    while let file = deletions.popFirst() {
      let entry = self[file.key]
      // It was stored again since.
      if let entry, entry.fileVersions.contains(where: { $0.kind == file.kind }),
        !planted(.deletionsBlind)
      {
        continue
      }
      current = .deletion(file)
      return .deleteBody(file.key, file.kind, isForgotten: isForgotten(entry))
    }
    if let clearing {
      self.clearing = nil
      if !undeleted.isEmpty { unclearedChange = clearing }
    }
    return nil
  }

  private mutating func nextBody(at now: Instant) -> StoreOperation<Key, Body>? {
    while let key = pending.first() {
      guard let entry = self[key], let next = entry.pending else {
        pending.remove(key)
        continue
      }
      // At the next launch a tagged body must be distinguishable from its successor.
      if !entry.tags.isEmpty, entry.onDisk != nil, metadata.flushed < next.change,
        !planted(.replacementUntold)
      {
        if metadata.failed >= next.change {
          pending.remove(key)
          giveUp(next, of: key, "what is known of it cannot be written", at: now)
          continue
        }
        return beginFlush()
      }
      pending.remove(key)
      current = .body(key, next.version, origin: entry.origin, number: entry.number)
      return .writeBody(key, next.version.kind, next.body)
    }
    return nil
  }

  private mutating func beginFlush() -> StoreOperation<Key, Body> {
    let (since, through) = (metadata.flushed, metadata.begin())
    switch options.metadataLayout {
    case .manifest:
      var entries: [ManifestEntry<Key>] = []
      entries.reserveCapacity(entryCount)
      for slot in table.indices {
        if let entry = table[slot] { entries.append(Self.written(entry)) }
      }
      current = .flush(through: through, entries: entries.count)
      return .writeManifest(Manifest(entries: entries, downloads: downloads.map { $0.record }))
    case .sidecars:
      let entries = table.compactMap { entry in
        entry.flatMap { $0.change > since ? Self.written($0) : nil }
      }
      current = .flush(through: through, entries: entries.count)
      return .writeSidecars(
        entries, downloads: metadata.downloads > since ? downloads.map { $0.record } : nil)
    }
  }

  private static func written(_ entry: Entry) -> ManifestEntry<Key> {
    ManifestEntry(
      key: entry.key, tags: entry.tags, lastRead: entry.lastRead, versions: entry.versions)
  }

  // MARK: Ending

  package mutating func finishOperation(_ result: StoreResult<Key>, at now: Instant) {
    guard let ended = current else { return }
    current = nil
    switch (ended, result) {
    case (.open, .opened(let manifest, let isDamaged, let bodies)):
      open(manifest, isDamaged: isDamaged, bodies, at: now)
    case (.open, .inUse):
      disk = .inUse
      notices.append(.inUse)
    case (.open, .failed(let failure)):
      disk = .unavailable
      notices.append(.unavailable(failure))
    case (.body(let key, _, _, let number), .failed(let failure)):
      failBody(key, number, failure, at: now)
    case (.body(let key, let version, let origin, let number), _):
      finishBody(key, version, origin, number, at: now)
    case (.flush(let through, _), .failed(let failure)):
      failFlush(through, failure, at: now)
    case (.flush(let through, let entries), _):
      noteSpace()
      statistics.flushes += 1
      statistics.entriesFlushed += entries
      metadata.end(through: through, isWritten: true, at: now)
      forgetRemovedDownloads(at: now)
    case (.deletion(let file), .failed): undeleted.append(file)
    default: break
    }
  }

  private mutating func failBody(
    _ key: Key, _ number: UInt64, _ failure: FileFailure, at now: Instant
  ) {
    note(failure)
    notices.append(.notWritten(key, failure))
    if let entry = self[key], entry.number == number, let pending = entry.pending {
      giveUp(pending, of: key, "\(failure)", at: now)
    }
  }

  private mutating func finishBody(
    _ key: Key, _ version: BodyVersion, _ origin: UInt64, _ number: UInt64, at now: Instant
  ) {
    noteSpace()
    statistics.bodiesWritten += 1
    statistics.bodyBytesWritten += version.bytes
    guard let slot = slots[key], let entry = table[slot], entry.origin == origin else {
      deletions.append(BodyFile(key: key, kind: version.kind))
      return
    }
    for former in entry.fileVersions where former.kind != version.kind {
      deletions.append(BodyFile(key: key, kind: former.kind))
    }
    if entry.number == number {
      // Its lifetime may have been renewed meanwhile.
      setBody(of: slot) {
        $0.onDisk = $0.pending?.version ?? version
        $0.pending = nil
      }
    } else {
      setBody(of: slot) {
        $0.onDisk = version
        // It may have been invalidated meanwhile, with the body that follows it.
        if $0.pending?.version.permission == .afterAsking { $0.onDisk?.permission = .afterAsking }
      }
    }
    table[slot]?.alternatives = []
    noteChange(of: slot, isPromise: true, at: now)
    if !entry.tags.isEmpty { metadata.urge() }
  }

  /// Gives up writing a body: the previous one stays, if there is any.
  private mutating func giveUp(
    _ pending: Entry.Pending, of key: Key, _ words: String, at now: Instant
  ) {
    guard let slot = slots[key] else { return }
    breakPromises(.notWritten(words), at: now) { $0.key == key }
    guard table[slot]?.onDisk != nil else {
      drop(key, cause: .invalidated, at: now)
      return
    }
    let number = nextNumber()
    setBody(of: slot) {
      $0.pending = nil
      $0.number = number
    }
    memory.remove(key, cause: .invalidated)
    noteChange(of: slot, isPromise: false, at: now)
  }

  /// Reports to callers that their tag is not stored, and removes the tag if they added it: otherwise it
  /// would be kept without any caller knowing.
  private mutating func breakPromises(
    _ failure: KeepFailure, at now: Instant, where isMeant: (Pins<Key>.Pin) -> Bool
  ) {
    for pin in pins.waiting where isMeant(pin) {
      pins.fail(pin.key, tag: pin.tag, failure)
      if pin.isNew, let slot = slots[pin.key] { untag(slot, pin.tag, at: now) }
    }
  }

  private mutating func failFlush(_ through: UInt64, _ failure: FileFailure, at now: Instant) {
    note(failure)
    notices.append(.metadataNotWritten(failure))
    metadata.end(through: through, isWritten: false, at: now)
    let flushed = metadata.flushed
    var unwritten: Set<Key> = []
    for pin in pins.waiting {
      guard let entry = self[pin.key], entry.pending == nil,
        entry.promised > flushed, entry.promised <= through
      else { continue }
      unwritten.insert(pin.key)
    }
    breakPromises(.notWritten("\(failure)"), at: now) { unwritten.contains($0.key) }
  }

  private mutating func note(_ failure: FileFailure) {
    statistics.failedWrites += 1
    guard failure.kind == .noSpace else { return }
    if disk != .full { notices.append(.diskFull(failure)) }
    disk = .full
  }

  private mutating func noteSpace() { disk = .available }
}
