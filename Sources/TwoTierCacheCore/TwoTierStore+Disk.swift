import CacheFiles
package import CacheModel

extension TwoTierStore {
  /// What to do with the files next; `nil`: nothing, or something is being done.
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

  /// Takes what came of the operation at hand.
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
        // A sibling may have written since it began.
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
      // Its older file must not be served once memory has lost the newer value.
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

  /// What should have gone and has not must not be read: no file is, from here on.
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

  /// Decides which files go: those past their age, then the least recently used above the limit.
  private mutating func plan(over files: [StoredFile], at now: Instant) {
    statistics.cleanUps += 1
    var gone = files.filter { isAged($0.written, at: now) }
    let aged = gone.count
    var kept = files.filter { !isAged($0.written, at: now) }
    var bytes = kept.reduce(0) { $0 + $1.bytes }
    if let limit = options.diskBytes, bytes > limit, !planted(.diskLimitIgnored) {
      // By name where they were used at one instant.
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
