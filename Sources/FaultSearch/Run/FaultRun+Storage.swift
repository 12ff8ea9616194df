import CacheModel
import NormalizedCache
import SimulatedStorage

/// The persistent state of the client, and its expected content.
struct Disk: Sendable {
  /// The client's state at one instant, and the answers so far.
  struct Moment: Sendable {
    var image = StoredImage()
    var answers: AnswerLedger
  }

  /// The client's write-behind settings; `nil`: it stores nothing, and a new process begins empty.
  let settings: WriteBehind?
  var storage = MemoryStorage<Note, NoteMutation>()
  /// The wall-clock time at the client's instant zero.
  var epoch = Instant(nanoseconds: 1_000_000_000_000)
  /// Whether the store requested a flush.
  var isFlushAsked = false
  /// The batch in progress.
  var taken: Moment?
  var stored: Moment
  /// The image of an empty storage.
  private let blank: Moment
  var hasFailed = false
  /// The time of the first change that no batch has.
  var changedAt: Instant?

  init(_ settings: WriteBehind?, _ answers: AnswerLedger) {
    self.settings = settings
    blank = Moment(answers: answers)
    stored = blank
  }

  var isWriting: Bool { storage.batch != nil }

  /// Notes a written batch: the storage has the client's state at its creation.
  mutating func noteWritten() {
    if let taken { stored = taken }
    taken = nil
    hasFailed = false
  }

  /// Notes a failed batch; a corrupt storage has lost the rest too.
  mutating func noteRefused(_ fault: StorageFault) {
    taken = nil
    hasFailed = true
    guard fault == .corrupt else { return }
    storage = MemoryStorage()
    stored = blank
  }

  /// Notes the end of the process; the next one's clock begins at zero after a pause.
  mutating func noteRelaunch(at end: Instant, after pause: Duration) {
    let passed = end.advanced(by: pause)
    epoch = epoch.advanced(byNanoseconds: passed.nanoseconds)
    stored.answers.rebase(by: Instant.zero.duration(to: passed))
    taken = nil
    isFlushAsked = false
    hasFailed = false
    changedAt = nil
  }
}

struct StoredImage: Sendable {
  private var entities: [StoredEntity<Note>]
  private var queries: [StoredQuery]
  private var progress: StoredProgress
  private var outbox: [MutationToken]

  init(_ state: StoredState<Note, NoteMutation> = StoredState()) {
    let state = state.inOrder
    entities = state.entities
    queries = state.queries
    progress = state.progress
    outbox = state.outbox.map(\.token)
  }

  /// Returns the first difference; `nil` if there is none.
  func difference(from other: StoredImage, withUses: Bool) -> StoredDifference? {
    let (mine, its) = (comparable(withUses), other.comparable(withUses))
    func first<Element: Equatable>(_ mine: [Element], _ its: [Element]) -> StoredDifference? {
      guard mine != its else { return nil }
      let index = zip(mine, its).prefix { $0 == $1 }.count
      func name(_ elements: [Element]) -> String {
        elements.dropFirst(index).first.map { "\($0)" } ?? "nothing"
      }
      return StoredDifference(expected: name(its), found: name(mine))
    }
    return first(mine.entities, its.entities) ?? first(mine.queries, its.queries)
      ?? first([mine.progress], [its.progress]) ?? first(mine.outbox, its.outbox)
  }

  private func comparable(_ withUses: Bool) -> StoredImage {
    guard !withUses else { return self }
    var image = self
    for index in queries.indices { image.queries[index].lastReadAt = .zero }
    for index in progress.streams.indices { image.progress.streams[index].known = 0 }
    image.progress.libraries = []
    image.progress.forgotten = .none
    image.progress.holdsUnowned = false
    return image
  }
}

struct StoredDifference: Hashable, Sendable {
  var expected: String
  var found: String
}

/// Steps of the client's storage and process.
extension FaultRun {
  /// A number of batches beyond a correct store's need.
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

  /// Whether changes exist that no batch has, without a requested flush.
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

  /// Writes the batch, and checks that the storage has the client's state at its creation.
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

  /// Ends the process with all its waiting tasks and observers, and starts another with the stored state.
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

  /// Prepares queued changes for sending again, regardless of answers to the previous process.
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

  // MARK: Deadlines of storage

  /// Notes unstored changes, before time passes.
  mutating func noteUnstored() {
    guard store.isPersistent else { return }
    let reference = disk.taken ?? disk.stored
    if image.difference(from: reference.image, withUses: false) != nil {
      disk.changedAt = disk.changedAt ?? now
    } else if disk.taken == nil {
      disk.changedAt = nil
    }
  }

  /// Checks that a flush is requested at the end of its interval, unless the storage is busy or has failed.
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

  /// Performs the store's requests to the storage.
  mutating func attendToStorage() {
    if disk.isWriting { _ = finishWrite() } else { _ = takeBatch() }
  }

  var storageIsAsked: Bool { disk.isWriting || disk.isFlushAsked && store.isPersistent }

  /// Repairs the storage, and stores everything.
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
