package import CacheFiles
package import CacheModel

extension TwoTierStore {
  /// Returns the next operation on files; `nil`: there is none, or one is in progress.
  package mutating func nextOperation(at now: Instant) -> DiskOperation<Key, Content>? {
    guard writes.current == nil, maintenance.current == nil, disk != .unavailable else {
      return nil
    }
    if let chore = maintenance.begin() {
      switch chore {
      case .open: return .open
      case .list: return .list
      case .delete(let files): return .delete(files)
      case .deleteAll: return .deleteAll
      }
    }
    guard let (key, pending) = writes.begin(at: now) else { return nil }
    guard let value = pending.value else { return .remove(key) }
    return .write(key, value.content, date: value.written)
  }

  package mutating func finishOperation(_ result: DiskResult, at now: Instant) {
    if let chore = maintenance.end() {
      finish(chore, result, at: now)
    } else {
      finishWrite(result, at: now)
    }
    if disk == .unavailable {
      writes.removeAll()
      maintenance.waiting = []
    }
  }

  private mutating func finishWrite(_ result: DiskResult, at now: Instant) {
    guard let ended = writes.current else { return }
    if planted(.newerWriteForgotten) { writes.forget(ended.key) }
    let isNewest = writes.end()
    switch result {
    case .written(let file):
      if memory[ended.key]?.generation == ended.generation {
        // Another cache may have written since it began.
        memory.confirm(ended.key, file, at: ended.began)
      }
      statistics.filesWritten += 1
      statistics.fileBytesWritten += file.bytes
      disk = .available
      maintenance.bytes += file.bytes
      if let limit = options.diskBytes, maintenance.bytes > limit { maintenance.scheduleList() }
    case .failed(let failure) where ended.isRemoval:
      failRemoval(failure, at: now)
    case .failed(let failure):
      statistics.failedWrites += 1
      notices.append(.notWritten(ended.key, failure))
      fail(failure, at: now)
      // Its older file must not be served after memory has evicted the newer value.
      if isNewest && !planted(.failedWriteKeepsFile) {
        writes.add(ended.key, nil, generation: ended.generation)
      }
    case .done, .listed: break
    }
  }

  private mutating func finish(_ chore: Maintenance.Chore, _ result: DiskResult, at now: Instant) {
    switch (chore, result) {
    case (.open, .failed(let failure)): fail(failure, at: now)
    case (.deleteAll, .failed(let failure)): failRemoval(failure, at: now)
    case (.list, .listed(let files)): plan(over: files, at: now)
    case (.deleteAll, .done): maintenance.bytes = 0
    default: break
    }
  }

  /// A file that should have been removed must not be read: no file is read from now on.
  private mutating func failRemoval(_ failure: FileFailure, at now: Instant) {
    fail(FileFailure(kind: .refused, call: failure.call, code: failure.code), at: now)
  }

  private mutating func fail(_ failure: FileFailure, at now: Instant) {
    switch failure.kind {
    case .noSpace:
      if !maintenance.saidFull { notices.append(.diskFull(failure)) }
      maintenance.foundFull(at: now)
      disk = .full
    case .refused, .absent:
      notices.append(.memoryOnly(failure))
      disk = .unavailable
    case .damaged, .transient: break
    }
  }

  // MARK: Cleaning up

  mutating func scheduleCleanUp(at now: Instant) {
    if !isClosed, disk != .unavailable, maintenance.isDue(options, at: now) {
      maintenance.scheduleList()
    }
  }

  /// Selects the files to remove: those above the maximum age, then the least recently used above the limit.
  private mutating func plan(over files: [StoredFile], at now: Instant) {
    statistics.cleanUps += 1
    var gone = files.filter { isAged($0.written, at: now) }
    let aged = gone.count
    var kept = files.filter { !isAged($0.written, at: now) }
    var bytes = kept.reduce(0) { $0 + $1.bytes }
    if let limit = options.diskBytes, bytes > limit, !planted(.diskLimitIgnored) {
      // By name if they were used at the same instant.
      kept.sort { ($0.used, $0.name.description) < ($1.used, $1.name.description) }
      for file in kept {
        guard bytes > limit - limit / 10 else { break }
        gone.append(file)
        bytes -= file.bytes
      }
    }
    maintenance.bytes = bytes
    statistics.agedFiles += aged
    statistics.trimmedFiles += gone.count - aged
    guard !gone.isEmpty else { return }
    notices.append(.cleanedUp(aged: aged, trimmed: gone.count - aged))
    maintenance.waiting.insert(.delete(gone), at: 0)
  }
}

/// An operation that a store requests from its shell; one at a time, in order.
package enum DiskOperation<Key: Hashable & Sendable, Content: Sendable>: Sendable {
  case open
  case write(Key, Content, date: Instant)
  case remove(Key)
  /// Remove orphans, and list the files.
  case list
  /// Remove these, unless they have been written since.
  case delete([StoredFile])
  /// Remove every file.
  case deleteAll
}

package enum DiskResult: Sendable {
  case done
  case written(StoredFile)
  case listed([StoredFile])
  case failed(FileFailure)
}

package enum ReadStep<Payload: Sendable>: Sendable {
  case hit(Payload)
  case miss
  /// Read the file, then call `finishRead`; if the file is still the known one, checking suffices.
  case file(ReadTicket, known: StoredFile?)
  /// Join the current read of the file: its result is the answer.
  case join(ReadTicket)
}

package struct ReadTicket: Hashable, Sendable {
  package var number: UInt64
}

package enum FileReading<Payload: Sendable>: Sendable {
  /// - bytes: of the value, as counted by ``TwoTierStore/write(_:_:content:bytes:fingerprint:at:)``.
  case found(Payload, bytes: Int, StoredFile)
  /// It is still the known file.
  case unchanged
  case absent
  case damaged(StoredFile?)
  case unreadable(FileFailure)
}

package enum FinishedRead<Payload: Sendable>: Sendable {
  case hit(Payload)
  case miss
  /// The key was written meanwhile: read again.
  case again
}

package enum TwoTierNotice<Key: Hashable & Sendable>: Sendable {
  /// The cache works in memory only from now on; reported once.
  case memoryOnly(FileFailure)
  /// The cache works in memory only until there is space; reported once.
  case diskFull(FileFailure)
  case damaged(Key)
  case unreadable(Key, FileFailure)
  case notWritten(Key, FileFailure)
  case cleanedUp(aged: Int, trimmed: Int)
}

/// The operations on files other than writes of values, and their deadlines.
struct Maintenance: Sendable {
  enum Chore: Sendable {
    case open
    case list
    case delete([StoredFile])
    case deleteAll

    var isList: Bool { if case .list = self { true } else { false } }
    var isDeleteAll: Bool { if case .deleteAll = self { true } else { false } }
  }

  /// In order, ahead of any write of a value.
  var waiting: [Chore] = []
  private(set) var current: Chore?
  /// The number of writes since the last clean-up.
  var writes = 0
  private var cleanedUp: Instant?
  /// The time when a full disk was last tried.
  private var tried: Instant?
  /// Whether the full disk was reported.
  private(set) var saidFull = false
  /// The total size of files in bytes, as listed and written since.
  var bytes = 0

  var isIdle: Bool { waiting.isEmpty && current == nil }

  var isDeletingAll: Bool { current?.isDeleteAll == true || waiting.contains { $0.isDeleteAll } }

  mutating func begin() -> Chore? {
    guard current == nil, !waiting.isEmpty else { return nil }
    current = waiting.removeFirst()
    return current
  }

  mutating func end() -> Chore? {
    defer { current = nil }
    return current
  }

  mutating func scheduleList() {
    writes = 0
    if !waiting.contains(where: \.isList) { waiting.append(.list) }
  }

  /// Returns whether a clean-up is due, by the number of writes or by time.
  mutating func isDue(_ options: TwoTierOptions, at now: Instant) -> Bool {
    if let limit = options.cleanUpWrites, writes >= limit { return true }
    guard let interval = options.cleanUpInterval else { return false }
    guard let last = cleanedUp else {
      // The clean-up at launch.
      cleanedUp = now
      return false
    }
    guard now < last || last.duration(to: now) >= interval else { return false }
    cleanedUp = now
    return true
  }

  /// Returns whether to try a full disk again; if so, records the attempt.
  mutating func triesFullDisk(_ options: TwoTierOptions, at now: Instant) -> Bool {
    if let tried, now >= tried, tried.duration(to: now) < options.diskRetryInterval { return false }
    tried = now
    return true
  }

  mutating func foundFull(at now: Instant) {
    tried = now
    saidFull = true
  }
}

/// The header of a value's file, by which damage is detected, whatever the value.
///
/// 40 bytes: a word with the format and its version, and the digest of the file's name and value. A valid
/// file under another's name counts as damaged.
package enum Seal {
  package static let word = Array("TwoTier1".utf8)
  package static let byteCount = word.count + FileName.digestBytes
}
