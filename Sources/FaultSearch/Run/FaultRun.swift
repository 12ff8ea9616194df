package import CacheModel
package import NormalizedCache

/// A store, its servers, and the network between them, run step by step.
///
/// The oracle compares the store's state with the servers and with the events it received.
package struct FaultRun: ~Copyable {
  package let composition: CachePolicy
  package internal(set) var world: NoteWorld
  package internal(set) var now = Instant.zero
  package internal(set) var link = Link()
  package internal(set) var fetches: [PendingFetch] = []
  package internal(set) var reconciles: [PendingReconcile] = []
  package internal(set) var observers: [ObservedQuery] = []
  package internal(set) var changes: [PendingChange] = []
  /// The first violation, which ends the run.
  package internal(set) var divergence: Divergence?
  /// The number of steps, including skipped ones.
  package internal(set) var steps = 0
  /// A 64-bit digest of the run: equal for equal runs.
  package internal(set) var digest = Digest()

  private let seed: UInt64
  /// The store's interpretation of declared shapes.
  private let model: NoteModel?
  var store: CacheStore<NoteSchema>
  var disk: Disk
  var calls = 0
  var evictionsBefore = 0
  /// Whether observers or edits existed in this process, whose entries are always created.
  var hasForcedPlaces = false
  /// Whether memory was released: observed queries may lack rows, as with too little space.
  var hasReleasedMemory = false
  /// The predicted memory of an empty store.
  let bytesOfEmptyStore: Int
  var actions: [CacheAction] = []
  var answers: AnswerLedger
  var entities = EntityLedger()
  var served = ServedAnswers()
  /// All pending edits, in order.
  var edits: [PendingEdit] = []
  /// The reported and actual results of queued changes.
  var writes = WriteLedger()
  /// The answered changes, which are not sent again.
  var settled: [MutationToken] = []
  /// The queries that may have a tag, if cached; stored ones persist across processes.
  var tagged: [QueryKey] = []
  /// The servers of streams whose last reconcile failed, with a known gap.
  var pausedReconciles: [Int] = []
  /// Whether the store was notified that the servers are reachable.
  var isOnline = true
  var uses = UseLedger()
  /// The notes that the store received without their library.
  var unplaced: [EntityKey] = []
  /// The entities that were received without a position, from the app or ahead of the event.
  var toldAhead: Set<EntityKey> = []
  /// The deletions that the store knew after the last step.
  var deletions: [(key: EntityKey, version: Version)] = []
  /// The number of "not modified" answers.
  package internal(set) var confirmations = 0
  let oracle: Oracle

  /// Creates the run of a case at its start; the caller performs the steps.
  ///
  /// - Precondition: the case's policy is valid; a generator or a parser has checked it.
  package init(_ faultCase: FaultCase) {
    composition = faultCase.composition
    seed = faultCase.seed
    world = NoteWorld(faultCase.shapes)
    answers = AnswerLedger(world.rules.queries)
    model = faultCase.model
    store = Self.store(faultCase.composition, model, seed: faultCase.seed)
    store.planted.defect = faultCase.plantedDefect
    bytesOfEmptyStore = store.predictedBytes
    disk = Disk(faultCase.storage, answers)
    oracle = Oracle(faultCase.composition)
    guard let settings = faultCase.storage else { return }
    store.persist(settings, at: now)
    didCall()
  }

  /// The memory of notes: enough that a memory limit can be met by evicting notes, since tables grow by
  /// hundreds of entries.
  private static let values = ValueMemory(bytesPerWeight: 500)

  private static func store(
    _ composition: CachePolicy, _ model: NoteModel?, seed: UInt64
  ) -> CacheStore<NoteSchema> {
    do throws(CachePolicyError) {
      return try CacheStore(
        composition: composition, schema: NoteSchema(model), seed: seed, values: values,
        looksAhead: false, wrapping: nil)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Starts a new process with an empty store and no waiting tasks.
  mutating func startAnew() {
    var next = Self.store(composition, model, seed: seed)
    next.planted = store.planted
    store = next
    fetches = []
    reconciles = []
    observers = []
    changes = []
    entities = EntityLedger()
    edits = []
    pausedReconciles = []
    isOnline = true
    uses = UseLedger()
    evictionsBefore = 0
    hasForcedPlaces = false
  }

  package var statistics: CacheStatistics { store.statistics }
  package var nextDeadline: Instant? { store.nextDeadline }

  /// Performs a step; returns whether it had an effect.
  @discardableResult
  package mutating func take(_ step: Step) -> Bool {
    guard divergence == nil else { return false }
    let callsBefore = calls
    let hadEffect = perform(step)
    if calls > callsBefore {
      checkState()
      digest.add(store.statistics)
      digest.add(UInt64(bitPattern: now.nanoseconds))
      digest.add(store.residentWeight)
      digest.add(store.cachedQueries)
    }
    steps += 1
    return hadEffect
  }

  /// Ends the faults, completes all pending work, and compares the store with the servers.
  package mutating func finish() {
    guard divergence == nil else { return }
    comeToRest()
    checkRest()
    passDeadlines()
    checkNotified()
    // Events in flight have been replayed since: they change nothing.
    for event in link.events { _ = perform(.deliver(event: event.number)) }
    answerAll()
    checkState()
    passDeadlines()
    checkNotified()
    checkWrites()
    digest.add(store.statistics)
  }

  mutating func perform(_ step: Step) -> Bool {
    switch step {
    case .publish, .restart, .lag: performAtServer(step)
    case .deliver, .repeat, .lose, .cut, .restore, .heartbeat: performOnLink(step)
    case .serve, .serveStale, .answer, .fail, .serveReconcile, .answerReconcile, .failReconcile,
      .tooOld:
      performAnswer(step)
    case .read, .readEntity, .observe, .leave, .tag, .untag, .invalidate, .invalidateTag, .clear,
      .release, .wait:
      performAsUser(step)
    case .begin, .enqueue, .online, .rollBack, .carryOut, .confirm, .loseAnswer, .reject:
      performMutation(step)
    case .flush, .store, .written, .refuse, .relaunch:
      performStorage(step)
    }
  }

  mutating func diverge(
    _ promise: Promise, about subject: @autoclosure () -> String,
    expected: @autoclosure () -> String, found: @autoclosure () -> String
  ) {
    guard divergence == nil else { return }
    divergence = Divergence(
      promise, step: steps, subject: subject(), expected: expected(), found: found())
  }
}

/// The checks after every call of the store.
extension FaultRun {
  /// Processes the store's requests and notifications, and checks them.
  mutating func didCall(removing removed: EntityKey? = nil) {
    calls += 1
    notePendingEdits()
    store.takeActions(into: &actions)
    var told: [QueryKey] = []
    for action in actions {
      switch action {
      case .fetch(let id, let request):
        digest.add(request.target)
        fetches.append(PendingFetch(id: id, request: request, begun: calls))
      case .reconcile(let id, let stream, let after, let form):
        digest.add(after)
        guard let server = world.servers.firstIndex(where: { $0.stream == stream }) else {
          continue
        }
        let request = NoteReconcile(id: id, stream: stream, after: after, form: form)
        reconciles.append(PendingReconcile(request: request, server: server))
        pausedReconciles.removeAll { $0 == server }
      case .notify(let key, _):
        digest.add(key)
        if told.contains(key) || !observers.contains(where: { $0.key == key }) {
          diverge(
            .notifiedOnce, about: Oracle.name(key), expected: "one notification while observed",
            found: told.contains(key) ? "two in one commit" : "one without an observer")
        }
        told.append(key)
      case .send(let token): send(token)
      case .flush: disk.isFlushAsked = true
      }
    }
    let gaps = world.servers.indices.filter { store.isSuspect(world.servers[$0].stream) }
    pausedReconciles.removeAll { !gaps.contains($0) }
    checkLeft()
    // An entity that was evicted and received again in one call is new to the cache.
    if store.statistics.evictions > evictionsBefore { entities.forget { _ in true } }
    for index in observers.indices { checkView(index, told: told, removing: removed) }
    evictionsBefore = store.statistics.evictions
  }

  /// Returns a row that lost its value in this call without leaving the query or being deleted.
  private func evicted(from observer: ObservedQuery, _ rows: ObservedQuery.Rows?) -> EntityKey? {
    let emptied = observer.emptied(by: rows)
    guard !emptied.isEmpty else { return nil }
    return confirmedRows(of: observer.key)?.first {
      // A newer summary may have replaced the full value.
      store.confirmedEntity($0.key) == nil && emptied.contains($0.key)
        && !store.isDeleted($0.key)
    }?.key
  }

  /// Compares the rows that an observer last saw with the present ones.
  private mutating func checkView(_ index: Int, told: [QueryKey], removing removed: EntityKey?) {
    let observer = observers[index]
    let rows = store.rows(of: observer.key)
    let isTold = told.contains(observer.key)
    if store.statistics.evictions > evictionsBefore, oracle.retainsObserved,
      let lost = evicted(from: observer, rows), lost != removed
    {
      diverge(
        .retainedStays, about: Oracle.name(observer.key), expected: Oracle.name(lost),
        found: "evicted")
    }
    if isTold, let (former, latter) = observer.retreat(to: rows) {
      diverge(
        .versionsAdvance, about: Oracle.name(observer.key),
        expected: "\(Oracle.name(former)) or later", found: Oracle.name(latter))
    }
    let basis = shownBasis(of: observer.key)
    // If a value was added and evicted in this call, its change of the order is notified.
    if !isTold, oracle.notifiesAtOnce, observer.isMoved(to: rows, on: basis) {
      diverge(
        .staysInPlace, about: Oracle.name(observer.key), expected: Oracle.name(observer.rows),
        found: Oracle.name(rows))
    }
    if !isTold, oracle.notifiesAtOnce, observer.misses(rows) {
      diverge(
        .notified, about: Oracle.name(observer.key),
        expected: "a notification of \(Oracle.name(rows))",
        found: "none since \(Oracle.name(observer.shown))")
    }
    observers[index].rows = rows
    observers[index].basis = basis
    if isTold {
      observers[index].shown = rows
      checkUpdate(index, rows)
    }
  }

  /// Compares a reader with incremental updates with the present rows.
  private mutating func checkUpdate(_ index: Int, _ rows: ObservedQuery.Rows?) {
    let observer = observers[index]
    guard let update = store.rowUpdate(of: observer.key, since: observer.read.marks) else { return }
    let read = ReadRows(update, since: observer.read) { $0 }
    observers[index].read = read
    if read.values != rows?.compactMap({ $0 }) || read.isComplete != rows?.allSatisfy({ $0 != nil })
    {
      diverge(
        .updatesAddUp, about: Oracle.name(observer.key), expected: Oracle.name(rows),
        found: Oracle.name(read.values))
    }
  }
}

/// A digest of everything in a run: FNV-1a by words.
package struct Digest: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    // Multiplication alone never propagates a high bit down.
    value ^= value >> 29
  }

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ key: EntityKey) { add(key.id.low) }

  mutating func add(_ key: QueryKey) {
    add(key.library.rawValue.low)
    add(UInt64(key.method.rawValue))
    for byte in key.input { add(UInt64(byte)) }
  }

  mutating func add(_ target: FetchTarget) {
    switch target {
    case .query(let key): add(key)
    case .entity(let key): add(key)
    }
  }

  mutating func add(_ position: StreamPosition) {
    add(UInt64(position.epoch))
    add(position.sequence)
  }

  mutating func add(_ statistics: CacheStatistics) {
    withUnsafeBytes(of: statistics) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size) {
        add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
    }
  }
}
