import CacheFiles
import CacheModel
import ResponseCache

/// A store driven by a program, with an oracle.
///
/// Every body is a number that is published once, so a served body identifies the server's answer.
struct StoreRun: ~Copyable {
  typealias Store = ResponseStore<ModelKey, Int>

  struct Flight {
    var ticket: RequestTicket?
    var key: Int
    var variant: Int
    /// The step in which the fetch began.
    var began: Int
    var keeps: [(ticket: KeepTicket, tag: TextKey)] = []
    var asked: Instant
    /// When the store last said what to do, and whether anybody could be asked then.
    var decided: Instant
    var wasOnline: Bool
    var wants: Want
    var answer: Answered?
    /// The server's state at its last answer.
    var confirmed: Int?
    var fault: StoreStep.Fault?
  }

  enum Want: Hashable {
    case file(ResponseKind)
    case server(ResponseCondition?)
  }

  enum Answered {
    case file(BodyReading<Int>)
    case server(Exchange<Int>)
  }

  struct Pair: Hashable {
    var key: Int
    var tag: TextKey
  }

  let options: ResponseOptions
  let defect: PlantedResponseDefect?
  var store: Store
  var disk = ModelDisk()
  var now = Instant.zero.advanced(by: .seconds(1_000_000))
  var step = 0
  var flights: [Flight] = []
  private var operation: StoreOperation<ModelKey, Int>?
  private var result: StoreResult<ModelKey>?

  /// By body.
  var published: [Int: Published] = [:]
  /// By key: the server's state.
  var present: [Int: [Int]] = [:]
  var lastBody = 0
  /// By body: until when it may be called fresh.
  var freshUntil: [Int: Instant] = [:]
  /// By body: when the fetch began that brought it last.
  var broughtBy: [Int: Int] = [:]
  /// By body: when the server said last that it is the present one.
  var vouched: [Int: Int] = [:]
  /// By key: when a request changed the server's state, and the write that preserves that.
  var invalidated: [Int: (step: Int, change: UInt64?)] = [:]
  /// Keys of which a start has found a body, and nothing that tells of it.
  var unknown: Set<Int> = []
  var removedAll = (step: 0, change: UInt64(0), before: 0)

  /// Tags that are kept, according to the answers.
  var kept: Set<Pair> = []
  /// Keys whose files the program has damaged since they were written.
  var harmed: Set<Int> = []
  /// Whether it has damaged the metadata: from then on the stored entries are unknown.
  private var isMetadataHarmed = false
  /// Tags that an entry may have.
  var allowed: Set<Pair> = []
  /// Removed entries that may be there again after the process ends.
  private var removals: [(change: UInt64, pairs: Set<Pair>)] = []
  private var waiting: [(ticket: KeepTicket, pair: Pair)] = []
  var lastRead: [Int: Instant] = [:]
  var failure: String?

  init(_ program: StoreProgram, defect: PlantedResponseDefect?) throws {
    options = program.options
    self.defect = defect
    store = try Store(options)
    for key in 0..<StoreProgram.keys {
      publish(key, maximumAge: 10, kind: .json, permission: .always, varies: false)
    }
    begin()
  }

  /// Runs a program to its end or to the first fault.
  static func failure(of program: StoreProgram, defect: PlantedResponseDefect?) throws -> String? {
    var run = try StoreRun(program, defect: defect)
    for step in program.steps {
      run.take(step)
      if let failure = run.failure { return "\(failure) at step \(run.step), \(step)" }
    }
    run.settle()
    return run.failure
  }

  private mutating func take(_ step: StoreStep) {
    self.step += 1
    switch step {
    case .fetch(let key, let tag, let variant): fetch(key, tag: tag, variant: variant)
    case .answer(let index, let fault): answer(index, fault)
    case .deliver(let index): deliver(index)
    case .store(let key): storeOwn(key)
    case .removeTag(let tag): remove(tag) { store, now in store.removeTag(tag, at: now) }
    case .sweep: sweep()
    case .removeAll: removeAll()
    case .beginDownload: store.beginDownload(StoreProgram.download, url: "u", at: now)
    case .finishDownload: _ = store.finishDownload(StoreProgram.download, at: now)
    case .removeDownload:
      remove(StoreProgram.download) { store, now in
        store.removeDownload(StoreProgram.download, at: now)
      }
    case .publish(let key, let maximumAge, let kind, let permission, let varies):
      publish(key, maximumAge: maximumAge, kind: kind, permission: permission, varies: varies)
    case .invalidate(let key):
      invalidated[key] = (self.step, store.invalidate(ModelKey(number: key), at: now))
    case .online(let isOnline): store.isOnline = isOnline
    case .effect(let fails): takeEffect(fails)
    case .finishOperation: finishOperation()
    case .damage(let key): loseFile(key) { disk, file in disk.damage(file) }
    case .removeFile(let key): loseFile(key) { disk, file in disk.remove(file) }
    case .damageMetadata:
      disk.damageMetadata()
      // The next write may have less than the process knows.
      kept = []
      isMetadataHarmed = true
    case .advance(let seconds): now = now.advanced(by: .seconds(seconds))
    case .restart: restart()
    }
    askKeeps()
    judge()
  }

  // MARK: The app

  mutating func publish(
    _ key: Int, maximumAge: Int, kind: ResponseKind, permission: ResponsePermission, varies: Bool
  ) {
    present[key] = (varies ? [0, 1] : [0]).map { variant in
      lastBody += 1
      published[lastBody] = Published(
        key: key, kind: kind, maximumAge: maximumAge, permission: permission, varies: varies,
        variant: variant, isTerse: lastBody.isMultiple(of: 2))
      return lastBody
    }
  }

  private mutating func storeOwn(_ key: Int) {
    lastBody += 1
    let until = now.advanced(by: .seconds(5))
    published[lastBody] = Published(key: key, kind: .json, maximumAge: 5)
    freshUntil[lastBody] = until
    broughtBy[lastBody] = step
    vouched[lastBody] = step
    unknown.remove(key)
    lastRead[key] = now
    store.store(
      lastBody,
      BodyVersion(
        kind: .json, bytes: Self.bytes(lastBody), digest: Self.digest(lastBody),
        etag: Self.etag(lastBody), generatedAt: now, staleAt: until),
      for: ModelKey(number: key), at: now)
  }

  private mutating func remove(
    _ tag: TextKey, _ action: (inout Store, Instant) -> UInt64
  ) {
    let pairs = allowed.filter { $0.tag == tag }
    allowed.subtract(pairs)
    kept.subtract(pairs)
    removals.append((action(&store, now), pairs))
  }

  private mutating func removeAll() {
    let change = store.removeAll(at: now)
    removals.append((change, allowed))
    removedAll = (step, change, isRemovalWritten ? removedAll.step : removedAll.before)
    allowed = []
    kept = []
    lastRead = [:]
  }

  private var isRemovalWritten: Bool { store.state(of: removedAll.change) == .written }

  private mutating func sweep() {
    let before = implicitBytes
    store.sweep(at: now)
    if implicit.count > options.maximumEntries { failure = "a sweep leaves \(implicit.count)" }
    judgeEviction(from: before)
  }

  /// By key without a tag: what its entry counts for in files.
  private var implicitBytes: [Int: Int] {
    var bytes: [Int: Int] = [:]
    for key in implicit { bytes[key] = bytesOnDisk(key) }
    return bytes
  }

  var implicit: Set<Int> {
    var keys: Set<Int> = []
    for key in 0..<StoreProgram.keys
    where store.entry(for: ModelKey(number: key))?.tags.isEmpty == true {
      keys.insert(key)
    }
    return keys
  }

  private mutating func askKeeps() {
    waiting.removeAll { wait in
      switch store.keepState(wait.ticket) {
      case .waiting: return false
      case .kept:
        if !harmed.contains(wait.pair.key), !isMetadataHarmed { kept.insert(wait.pair) }
        return true
      case .failed: return true
      }
    }
  }

  mutating func wait(for keeps: [(ticket: KeepTicket, tag: TextKey)], of key: Int) {
    waiting += keeps.map { ($0.ticket, Pair(key: key, tag: $0.tag)) }
  }

  var isWaiting: Bool { !waiting.isEmpty }

  // MARK: The files

  private mutating func takeEffect(_ fails: FileFailure.Kind?) {
    if operation == nil {
      let before = implicitBytes
      operation = store.nextOperation(at: now)
      judgeEviction(from: before)
    }
    guard let operation, result == nil else { return }
    let isFailing = fails != nil
    if !isFailing, case .writeBody(let key, _, _) = operation { harmed.remove(key.number) }
    let done = disk.perform(
      operation, layout: options.metadataLayout, fails: isFailing, bytes: Self.bytes)
    result = fails.map { .failed(FileFailure(kind: $0, call: "test")) } ?? done
  }

  private mutating func finishOperation() {
    guard let finished = result else { return }
    (operation, result) = (nil, nil)
    store.finishOperation(finished, at: now)
  }

  private mutating func loseFile(_ key: Int, _ action: (inout ModelDisk, ModelFile) -> Void) {
    for kind in ResponseKind.allCases { action(&disk, ModelFile(key: key, kind: kind)) }
    kept = kept.filter { $0.key != key }
    harmed.insert(key)
  }

  /// The process ends, and another begins: what waited is lost.
  mutating func restart() {
    for removal in removals where store.state(of: removal.change) != .written {
      allowed.formUnion(removal.pairs)
    }
    if !isRemovalWritten { removedAll.step = removedAll.before }
    for (key, removal) in invalidated {
      if let change = removal.change, store.state(of: change) == .written {
        invalidated[key]?.change = nil
      } else if removal.change != nil {
        invalidated[key] = nil
      }
    }
    removedAll.change = 0
    guard let next = try? Store(options) else { return }
    store = next
    begin()
    (flights, waiting, removals, lastRead) = ([], [], [], [:])
    for key in 0..<StoreProgram.keys {
      let entry = store.entry(for: ModelKey(number: key))
      lastRead[key] = entry?.lastRead
      if let entry, entry.version.digest == nil { unknown.insert(key) }
    }
    judgeStart()
  }

  /// Opens the folder.
  private mutating func begin() {
    store.planted.defect = defect
    (operation, result) = (nil, nil)
    takeEffect(nil)
    finishOperation()
  }

  mutating func drain() {
    for _ in 0..<1_000 {
      takeEffect(nil)
      finishOperation()
      if store.isIdle && operation == nil { break }
    }
    askKeeps()
  }

  /// Has all fetches end without faults.
  mutating func land() {
    for _ in 0..<1_000 where !flights.isEmpty {
      step += 1
      answer(0, nil)
      deliver(0)
      if failure != nil { return }
    }
    if !flights.isEmpty { failure = "a fetch never ends" }
  }

  mutating func fetchAndLand(_ key: Int) {
    step += 1
    fetch(key, tag: nil, variant: 0)
    land()
  }

  // MARK: Bodies

  static func digest(_ body: Int) -> BodyDigest {
    BodyDigest(words: [UInt64(bitPattern: Int64(body))])
  }
  static func etag(_ body: Int) -> String { "\"\(body)\"" }
  /// A false statement of a server; one that gives two bodies the same tag cannot be detected.
  static func falseTag(_ body: Int) -> String { "\"false \(body)\"" }
  /// Of few sizes, so that many are alike.
  static func bytes(_ body: Int) -> Int { 10 + body % 2 }
}
