package import CacheModel
package import NormalizedCache

/// A store, the servers that it keeps a copy of, and the network between them, driven step by step.
///
/// The oracle looks on: it knows the servers, and what the store was told, and compares.
package struct FaultRun: ~Copyable {
  package let composition: CachePolicy
  package internal(set) var world: NoteWorld
  package internal(set) var now = Instant.zero
  package internal(set) var link = Link()
  package internal(set) var fetches: [PendingFetch] = []
  package internal(set) var reconciles: [PendingReconcile] = []
  package internal(set) var observers: [ObservedQuery] = []
  package internal(set) var changes: [PendingChange] = []
  /// What was found first that must not be; a run that has one goes no further.
  package internal(set) var divergence: Divergence?
  /// The steps that were taken, skipped ones included.
  package internal(set) var steps = 0
  /// The state of the run in 64 bits: equal for equal runs.
  package internal(set) var digest = Digest()

  /// Of eviction orders that draw.
  private let seed: UInt64
  /// What reads declared shapes for the store.
  private let model: NoteModel?
  var store: CacheStore<NoteSchema>
  var disk: Disk
  /// Counts the calls of the store.
  var calls = 0
  var evictionsBefore = 0
  /// Whether anybody observed or edited in this process, for whom places are made in any case.
  var hasForcedPlaces = false
  /// Whether memory was released: what is observed may have lost rows, as where there is too little.
  var hasReleasedMemory = false
  /// What a store is predicted to take that has held nothing yet.
  let bytesOfEmptyStore: Int
  var actions: [CacheAction] = []
  var answers: AnswerLedger
  var entities = EntityLedger()
  var served = ServedAnswers()
  /// The edits of everything that is pending, in order.
  var edits: [PendingEdit] = []
  /// What the user was told of queued changes, and what servers did.
  var writes = WriteLedger()
  /// Changes that were answered: none is sent again.
  var settled: [MutationToken] = []
  /// The queries that tags may claim, if they are cached; what is stored outlasts a process.
  var tagged: [QueryKey] = []
  /// The servers of streams whose last reconcile came to nothing, while what is missing is known.
  var pausedReconciles: [Int] = []
  /// Whether the store was told that the servers can be reached.
  var isOnline = true
  var uses = UseLedger()
  /// The notes that the store was told of without their library.
  var unplaced: [EntityKey] = []
  /// What was told without its place in a stream, by the app or ahead of the event.
  var toldAhead: Set<EntityKey> = []
  /// The deletions that the store knew of after the last step.
  var deletions: [(key: EntityKey, version: Version)] = []
  /// How often a server said that nothing has changed.
  package internal(set) var confirmations = 0
  let oracle: Oracle

  /// The beginning of a case, whose steps are for the caller to take.
  ///
  /// - Precondition: a cache can be made as the case says; a generator has drawn it, or a reader has
  ///   checked it.
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

  /// A note takes so much that a limit on memory has notes to give up beside tables, which grow by
  /// hundreds of places.
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

  /// A new process: an empty store, and no one who waits for anything.
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
  /// When the store wants to be told that time has passed.
  package var nextDeadline: Instant? { store.nextDeadline }

  /// Takes a step; returns whether there was anything to do.
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

  /// Ends the faults, lets everything come to rest, and compares what is left with the truth.
  package mutating func finish() {
    guard divergence == nil else { return }
    comeToRest()
    checkRest()
    passDeadlines()
    checkNotified()
    // What was still on its way has been replayed since: it changes nothing.
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

/// What follows every call of the store.
extension FaultRun {
  /// Takes what the store asks for, and checks what it told.
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
    // What was evicted and told anew in one call is new to the cache.
    if store.statistics.evictions > evictionsBefore { entities.forget { _ in true } }
    for index in observers.indices { checkView(index, told: told, removing: removed) }
    evictionsBefore = store.statistics.evictions
  }

  /// A row that lost its value in this call, though the query still lists it and it was not deleted.
  private func evicted(from observer: ObservedQuery, _ rows: ObservedQuery.Rows?) -> EntityKey? {
    let emptied = observer.emptied(by: rows)
    guard !emptied.isEmpty else { return nil }
    return confirmedRows(of: observer.key)?.first {
      // A newer summary may have taken the place of the whole.
      store.confirmedEntity($0.key) == nil && emptied.contains($0.key)
        && !store.isDeleted($0.key)
    }?.key
  }

  /// Compares what an observer was shown last with what the store would show it now.
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
    // A value may have come in this call and gone again: what it said of places is told.
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

  /// Compares a reader that has been given what has changed with the rows as they are.
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

/// A fingerprint of everything that a run has done: FNV-1a, word by word.
package struct Digest: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    // Multiplication alone never moves a high bit down.
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

  /// Every counter, in the order of declaration.
  mutating func add(_ statistics: CacheStatistics) {
    withUnsafeBytes(of: statistics) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size) {
        add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
    }
  }
}
