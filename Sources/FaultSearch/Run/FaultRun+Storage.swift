import CacheModel
import NormalizedCache
import SimulatedStorage

/// What becomes of the client's storage, and of its process.
extension FaultRun {
  /// More batches than a sound store needs until everything is stored.
  private static let batchLimit = 16

  mutating func performStorage(_ step: Step) -> Bool {
    switch step {
    case .flush:
      guard hasUnstored else { return false }
      store.flush(at: now)
      didCall()
      return disk.isFlushAsked
    case .store:
      return takeBatch()
    case .written:
      return finishWrite()
    case .refuse(let fault):
      guard let number = disk.storage.refuse() else { return false }
      disk.noteRefused(fault)
      if fault == .corrupt { writes.loseStorage() }
      store.failFlush(number, fault.error, at: now)
      didCall()
      return true
    case .relaunch(let isWritten, let pause):
      relaunch(isWritten: isWritten, after: .milliseconds(pause))
      return true
    default:
      return false
    }
  }

  /// Whether there are changes that no batch has, and none was asked for.
  package var hasUnstored: Bool {
    !disk.isFlushAsked && !disk.isWriting && !store.isStored
  }

  package var hasStorage: Bool { disk.settings != nil }
  package var isFlushAsked: Bool { disk.isFlushAsked }
  package var isWriting: Bool { disk.isWriting }

  private var wallClock: Instant { disk.epoch.advanced(byNanoseconds: now.nanoseconds) }

  private var image: StoredImage {
    StoredImage(store.storedState(wallClock: wallClock, at: now))
  }

  private mutating func takeBatch() -> Bool {
    guard disk.isFlushAsked, store.isPersistent, !disk.isWriting else { return false }
    disk.isFlushAsked = false
    disk.changedAt = nil
    let moment = Disk.Moment(image: image, answers: answers)
    guard let batch = store.takeBatch(wallClock: wallClock, at: now) else {
      diverge(
        .storedInTime, about: "the storage", expected: "a batch, since a flush was asked for",
        found: "none")
      return true
    }
    digest.add(batch.number)
    disk.taken = moment
    disk.storage.begin(batch)
    return true
  }

  private mutating func finishWrite() -> Bool {
    guard let number = endWrite() else { return false }
    store.completeFlush(number, at: now)
    didCall()
    return true
  }

  /// Writes the batch, which must leave what the client held when it was taken.
  private mutating func endWrite() -> UInt64? {
    guard let number = disk.storage.finish() else { return nil }
    disk.noteWritten()
    let stored = disk.storage.storedOutbox.map(\.token)
    writes.acknowledge(stored)
    checkKept(in: stored, "the storage")
    let contents = StoredImage(disk.storage.contents)
    if let difference = contents.difference(from: disk.stored.image, withUses: true) {
      diverge(.storesOneCommit, difference)
    }
    return number
  }

  /// The process ends, with whoever waited or watched in it, and another begins with what is stored.
  private mutating func relaunch(isWritten: Bool, after pause: Duration) {
    if isWritten { _ = endWrite() }
    _ = disk.storage.refuse()
    disk.noteRelaunch(at: now, after: pause)
    now = .zero
    answers = disk.stored.answers
    startAnew()
    if let settings = disk.settings {
      let contents = disk.storage.contents
      let report = store.restore(contents, wallClock: disk.epoch, at: now)
      takeBack(contents.outbox)
      checkKept(in: store.outbox.map(\.token), "the outbox of the new process")
      didCall()
      if report.entitiesLeftOut == 0, report.queriesLeftOut == 0,
        let difference = image.difference(from: StoredImage(contents), withUses: true)
      {
        diverge(.restoresWhatIsStored, difference)
      }
      store.persist(settings, at: now)
      didCall()
    }
    deletions = store.deletions
  }

  /// What was queued is asked of the servers again, whatever they answered to the former process.
  private mutating func takeBack(_ outbox: [NoteMutation]) {
    for mutation in outbox {
      let server = world.servers.firstIndex { $0.stream.library == mutation.library } ?? 0
      changes.append(
        PendingChange(
          number: Int(mutation.token.rawValue.low), server: server, mutation: mutation,
          isQueued: true))
      settled.removeAll { $0 == mutation.token }
    }
  }

  // MARK: What must be stored, and when

  /// Notes that something has changed, before time passes.
  mutating func noteUnstored() {
    guard store.isPersistent else { return }
    let reference = disk.taken ?? disk.stored
    if image.difference(from: reference.image, withUses: false) != nil {
      disk.changedAt = disk.changedAt ?? now
    } else if disk.taken == nil {
      disk.changedAt = nil
    }
  }

  /// Changes are asked to be taken when their window ends at the latest, unless the storage is busy
  /// or has failed.
  mutating func checkStoredInTime() {
    guard let settings = disk.settings, store.isPersistent, !disk.hasFailed, hasUnstored,
      let changedAt = disk.changedAt, changedAt.duration(to: now) >= settings.window,
      let difference = image.difference(from: disk.stored.image, withUses: false)
    else { return }
    diverge(
      .storedInTime, about: "a change of \(changedAt.nanoseconds / 1_000_000) ms",
      expected: "\(difference.found) taken within \(settings.window)",
      found: "\(difference.expected)")
  }

  /// The storage does what the store asks for.
  mutating func attendToStorage() {
    if disk.isWriting { _ = finishWrite() } else { _ = takeBatch() }
  }

  var storageIsAsked: Bool { disk.isWriting || disk.isFlushAsked && store.isPersistent }

  /// The storage recovers, and everything is stored.
  mutating func storeAll() {
    for _ in 0..<Self.batchLimit where divergence == nil {
      if storageIsAsked {
        attendToStorage()
      } else if store.isStored {
        break
      } else {
        store.flush(at: now)
        didCall()
      }
    }
    guard divergence == nil, store.isPersistent else { return }
    if let difference = disk.stored.image.difference(from: image, withUses: false) {
      diverge(.storedInTime, difference)
    }
  }

  private mutating func diverge(_ promise: Promise, _ difference: StoredDifference) {
    diverge(
      promise, about: "the storage", expected: difference.expected, found: difference.found)
  }
}
