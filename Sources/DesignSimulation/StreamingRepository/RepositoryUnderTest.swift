import CacheModel
import CacheSimulation
import StreamingRepositoryCore
import Workloads

/// The store of a streaming repository in an app without events: a collection is the result of a request, the
/// rows of a list or one entity.
///
/// A read is answered from the tables, regardless of their age, and waits only if its request was never
/// answered. The store determines the fetches: at the first view of a process, when the link is restored,
/// which includes the user's return, on pull to refresh, and after a user's change for all known lists that
/// may contain its type. A change is shown optimistically if the scenario says so, except for created rows:
/// only the server knows their lists. Without a link a change fails, as does one without an answer; it is
/// sent once.
///
/// Its extensions contain reads, answers and changes.
final class RepositoryUnderTest: MeasuredCache {
  typealias Key = CacheReply.Target
  typealias Store = RepositoryStore<Key, Int, [UInt32]>

  let features: Set<CacheFeature> = [.writes, .parts]
  let takesEvents = false
  private(set) var use = CacheUse()

  let input: DesignInput
  let tables: VirtualTables
  var store: Store
  private let capacityMemory: Int?
  private let writeTime: Duration

  var now = Instant.zero
  var replies: [CacheReply] = []
  private var agenda = Agenda<Store.Operation>()
  /// Reads that wait for a first answer, in order of their collections.
  var readers: [(key: Key, turns: [Int])] = []
  /// Pulls by their callers; used for look-ups only.
  var pulls: [CallerNumber: (key: Key, turn: Int)] = [:]
  var lastCaller = 0
  /// Requests with answers that an app does not store, by number, with the waiting reads.
  var bypasses: [(id: Int, key: Key, turns: [Int])] = []
  var lastBypass = 0
  /// The user's changes without an answer, by token; used for look-ups only.
  var writes: [UInt32: Write] = [:]
  /// The changes displayed above the tables, oldest first.
  var layers: [Layer] = []

  /// The visible queries, and the content of each.
  var isOnScreen: [Bool]
  var shown: [[UInt32]?]
  /// The memory of the visible queries' values.
  var shownBytes = 0
  /// The queries whose next read is a pull.
  private var isPulled: [Bool]
  /// The collections that this process has requested or read, in that order.
  var known: [Key] = []
  private var isKnown: Set<Key> = []
  /// The queries whose rows may have changed in this turn.
  var touched: [Int] = []

  struct Write {
    /// The optimistic change; `nil`: it is shown after its confirmation.
    var change: ChangeNumber?
    var edits: [CacheOperation.Edit]
  }

  struct Layer {
    var change: ChangeNumber
    var edits: [CacheOperation.Edit]
    var collections: [Key]
    var isVisible = false
  }

  init(
    _ options: RepositoryOptions, _ settings: DesignSettings, _ input: DesignInput,
    _ tables: VirtualTables
  ) throws(RepositoryError) {
    // One account, since a scenario has no others.
    store = try Store(options, account: 0)
    self.input = input
    self.tables = tables
    capacityMemory = settings.capacity.memory
    writeTime = settings.duration("disk-write-time") ?? .zero
    isOnScreen = [Bool](repeating: false, count: input.workload.queries.count)
    shown = [[UInt32]?](repeating: nil, count: input.workload.queries.count)
    isPulled = isOnScreen
  }

  func refresh(_ query: Int) { isPulled[query] = true }

  /// Ends the process; pending writes are lost, and the tables unchanged.
  func end() {}

  func take(_ turn: CacheTurn) -> TurnAnswer {
    now = turn.at
    replies = []
    finishDue()
    store.advance(to: now)
    switch turn.operation {
    case .read(let query): read(.query(query), turn.number)
    case .observe(let query):
      setOnScreen(query, true)
      read(.query(query), turn.number)
    case .unobserve(let query): setOnScreen(query, false)
    case .open(let object): open(object, turn.number)
    case .response(let id, let response): take(response, to: id)
    case .link(let isUp):
      store.setOnline(isUp, at: now)
      if isUp { store.enterForeground(at: now) }
    case .write(let write): begin(write)
    case .answer(let token, let answer): end(token, answer)
    // It has no explicit retention, and receives no events. Due work was performed above.
    case .wake, .tag, .event, .heartbeat: break
    }
    carryOut()
    answerReaders()
    tellViews()
    measure()
    return TurnAnswer(
      replies: replies,
      wake: [agenda.next, store.nextDeadline].compactMap(\.self).min().map { max($0, now) })
  }

  // MARK: Views

  private func read(_ key: Key, _ turn: Int) {
    guard input.isKept(key) else { return bypass(key, turn) }
    note(key)
    if case .query(let query) = key, isPulled[query] {
      isPulled[query] = false
      return pull(key, turn)
    }
    store.view(key, at: now)
    serve(key, turn)
  }

  /// Reads an entity from any table that has it; otherwise it is a separate collection.
  private func open(_ object: UInt32, _ turn: Int) {
    if tables[.object(object)] == nil, let state = shownState(of: object) {
      return replies.append(.serve(turn: turn, input.rows([state])))
    }
    if tables[.object(object)] == nil, isDeleted(object) {
      return replies.append(.serve(turn: turn, []))
    }
    read(.object(object), turn)
  }

  private func note(_ key: Key) {
    if isKnown.insert(key).inserted { known.append(key) }
  }

  private func setOnScreen(_ query: Int, _ isShown: Bool) {
    guard isOnScreen[query] != isShown else { return }
    isOnScreen[query] = isShown
    if !isShown { show(nil, in: query) }
    guard input.isKept(.query(query)) else { return }
    if isShown { store.observe(.query(query), at: now) } else { store.endObserving(.query(query)) }
  }

  // MARK: The file

  /// Performs the store's operations that take no time.
  func carryOut() {
    takeActions()
    while let operation = store.nextOperation(at: now) {
      guard writeTime == .zero else {
        agenda.add(operation, at: now.advanced(by: writeTime))
        break
      }
      finish(operation)
    }
  }

  private func finishDue() {
    while let operation = agenda.takeDue(at: now) {
      finish(operation)
      carryOut()
    }
  }

  private func finish(_ operation: Store.Operation) {
    store.finishOperation(perform(operation), at: now)
    takeActions()
  }

  private func perform(_ operation: Store.Operation) -> OperationResult {
    if let failure = tables.failure(at: now) { return .failed(failure) }
    switch operation {
    case .write(let key, _, let states, let settling):
      switch tables.write(states, to: key, store.options) {
      case .failure(let error): return .failed(error)
      case .success(let counts):
        settle(settling, of: key)
        touch(key)
        return .written(counts)
      }
    case .show(let change, _): setVisible(change)
    case .hide(let change, _): hide(change)
    case .logIn, .logOut: break
    }
    return .done
  }

  // MARK: Memory

  private func measure() {
    use.memoryBytes = store.tableBytes + shownBytes
    use.limitShare = capacityMemory.map { Double(use.memoryBytes) / Double(max(1, $0)) }
    use.diskBytes = tables.bytes
    use.files = 1
    use.diskWrites = tables.rowWrites
  }
}

extension RepositoryUnderTest: CountableCache {
  func takeCore() throws -> DesignCore {
    var taken = try Store(store.options, account: store.account)
    swap(&taken, &store)
    let (collections, tables) = (taken.collectionCount, taken.tableBytes)
    return DesignCore(
      taken, entries: collections, predictedTables: tables, predicted: use.memoryBytes,
      lists: shown.compactMap { states in states.map { $0.map { input.bytes(of: [$0]) } } })
  }
}
