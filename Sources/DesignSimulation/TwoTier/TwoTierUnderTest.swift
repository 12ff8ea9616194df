import CacheFiles
import CacheModel
import CacheSimulation
import TwoTierCacheCore
import Workloads

/// The store of a two-tier cache in an app without events: a value is the answer to a request, the rows of a
/// list or one entity.
///
/// A read uses memory, then the file, and otherwise requests the server. The app's own changes are shown
/// after their confirmation: then the entity's value is replaced, and every list that may contain its type is
/// removed and, if it is visible, fetched again. The lists of earlier processes are unknown, so they remain
/// until they expire.
final class TwoTierUnderTest: MeasuredCache {
  typealias Key = CacheReply.Target
  typealias Store = TwoTierStore<Key, StoredRows, StoredRows>

  /// A read that is answered when its file has been read.
  private struct Reader {
    var turn: Int
    /// Whether it fails without a file, since the server has not answered.
    var isLast = false
  }

  private enum Work {
    case operation(DiskOperation<Key, StoredRows>)
    case read(ReadTicket, Key)
  }

  let features: Set<CacheFeature> = [.writes, .parts]
  let takesEvents = false
  private(set) var use = CacheUse()

  private let input: DesignInput
  private let folder: VirtualFolder
  private var store: Store
  private let memoryLimit: Int
  private let capacityMemory: Int?
  private let readTime: Duration
  private let writeTime: Duration

  private var now = Instant.zero
  private var replies: [CacheReply] = []
  private var requests = Requests()
  private var writes = OwnWrites()
  private var agenda = Agenda<Work>()
  /// The reads that wait for a file; used for look-ups only.
  private var readers: [ReadTicket: [Reader]] = [:]
  /// Used for look-ups only.
  private var names: [Key: FileName] = [:]
  /// The visible queries.
  private var isOnScreen: [Bool]
  /// The queries whose next read requests the server.
  private var isPulled: [Bool]
  /// The queries that this process has requested or read, in that order.
  private var known: [Int] = []
  private var isKnown: [Bool]
  /// The entities that this process has requested or read; used for look-ups only.
  private var knownObjects: Set<UInt32> = []

  init(
    _ options: TwoTierOptions, _ settings: DesignSettings, _ input: DesignInput,
    _ folder: VirtualFolder, seed: UInt64
  ) throws(TwoTierOptionsError) {
    store = try Store(options, seed: seed)
    self.input = input
    self.folder = folder
    memoryLimit =
      switch options.memoryLimit {
      case .bytes(let bytes): bytes
      case .entries: .max
      }
    capacityMemory = settings.capacity.memory
    readTime = settings.duration("disk-read-time") ?? .zero
    writeTime = settings.duration("disk-write-time") ?? .zero
    isOnScreen = [Bool](repeating: false, count: input.workload.queries.count)
    isPulled = isOnScreen
    isKnown = isOnScreen
  }

  func refresh(_ query: Int) { isPulled[query] = true }

  /// Ends the process; pending writes are lost, and the older file remains.
  func end() {}

  func take(_ turn: CacheTurn) -> TurnAnswer {
    now = turn.at
    replies = []
    finishDue()
    switch turn.operation {
    case .read(let query): read(.query(query), turn.number)
    case .observe(let query):
      isOnScreen[query] = true
      read(.query(query), turn.number)
    case .unobserve(let query): isOnScreen[query] = false
    case .open(let object): read(.object(object), turn.number)
    case .response(let id, let response): take(response, to: id)
    case .link(let isUp): writes.link(isUp: isUp)
    case .write(let write): writes.add(write)
    case .answer(let token, let answer):
      if let confirmation = writes.take(answer, to: token, at: now) { take(confirmation) }
    case .wake: writes.wake(at: now)
    // It has no explicit retention, and receives no events.
    case .tag, .event, .heartbeat: break
    }
    startWorking()
    // Operations without a duration end immediately.
    finishDue()
    replies += writes.takeSends()
    measure()
    return TurnAnswer(
      replies: replies,
      wake: [agenda.next, writes.nextTry].compactMap(\.self).min().map { max($0, now) })
  }

  // MARK: Reads

  private func read(_ key: Key, _ turn: Int) {
    note(key)
    guard input.isKept(key) else { return ask(key, turn) }
    if case .query(let query) = key, isPulled[query] {
      isPulled[query] = false
      return ask(key, turn, isContent: true)
    }
    look(up: key, for: Reader(turn: turn))
  }

  private func note(_ key: Key) {
    switch key {
    case .query(let query) where !isKnown[query]:
      isKnown[query] = true
      known.append(query)
    case .query: break
    case .object(let object): knownObjects.insert(object)
    }
  }

  /// Answers from memory or the file, otherwise requests the server.
  private func look(up key: Key, for reader: Reader) {
    switch store.read(key, at: now) {
    case .hit(let rows): serve(reader, rows)
    case .miss: miss(key, reader)
    case .join(let ticket): readers[ticket, default: []].append(reader)
    case .file(let ticket, let known):
      readers[ticket] = [reader]
      // Checking whether the same file exists takes no significant time.
      let file = folder.look(at: name(of: key))
      if let known, file?.isUnchanged(since: known) == true {
        finish(ticket, of: key, .unchanged)
      } else if file == nil {
        finish(ticket, of: key, .absent)
      } else {
        agenda.add(.read(ticket, key), at: now.advanced(by: readTime))
      }
    }
  }

  private func finish(_ ticket: ReadTicket, of key: Key, _ reading: FileReading<StoredRows>) {
    let finished = store.finishRead(
      ticket, reading, fingerprint: name(of: key).fingerprint, at: now)
    for reader in readers.removeValue(forKey: ticket) ?? [] {
      switch finished {
      case .hit(let rows): serve(reader, rows)
      case .miss: miss(key, reader)
      case .again: look(up: key, for: reader)
      }
    }
  }

  private func serve(_ reader: Reader, _ rows: StoredRows) {
    replies.append(.serve(turn: reader.turn, input.rows(rows.states)))
  }

  private func miss(_ key: Key, _ reader: Reader) {
    guard !reader.isLast else { return replies.append(.fail(turn: reader.turn)) }
    ask(key, reader.turn)
  }

  private func ask(_ key: Key, _ turn: Int?, isContent: Bool = false) {
    if let request = requests.ask(key, turn: turn, isContent: isContent) { replies.append(request) }
  }

  // MARK: Answers

  private func take(_ response: CacheOperation.Response, to id: Int) {
    guard let request = requests.end(id) else { return }
    guard case .rows(let sent, _, _) = response else {
      for turn in request.turns { replies.append(.fail(turn: turn)) }
      for turn in request.contentTurns {
        look(up: request.target, for: Reader(turn: turn, isLast: true))
      }
      return
    }
    // The answer is from before the user's own change.
    if request.isOutdated { return replies.append(requests.askAgain(request)) }
    let states = input.states(of: sent)
    set(states, of: request.target)
    let rows = input.rows(states)
    let turns = request.turns + request.contentTurns
    for turn in turns { replies.append(.serve(turn: turn, rows)) }
    // A waiting view is notified by its answer.
    if turns.isEmpty, case .query(let query) = request.target, isOnScreen[query] {
      replies.append(.notify(query: query, rows))
    }
  }

  private func set(_ states: [UInt32], of key: Key) {
    guard input.isKept(key) else { return }
    // A missing entity is not a value.
    if case .object = key, states.isEmpty { return store.remove(key) }
    let rows = input.storedRows(states)
    store.write(
      key, rows, content: rows, bytes: rows.bytes, fingerprint: name(of: key).fingerprint, at: now)
  }

  private func take(_ confirmation: CacheOperation.Confirmation) {
    var types: Set<ResourceType> = []
    for row in confirmation.rows {
      let object = input.object(of: row.state)
      if let type = input.type(of: object) { types.insert(type) }
      if knownObjects.contains(object) { set([row.state], of: .object(object)) }
      requests.outdate(.object(object))
    }
    for object in confirmation.deleted {
      if let type = input.type(of: object) { types.insert(type) }
      store.remove(.object(object))
      requests.outdate(.object(object))
    }
    for query in known where input.lists(query, any: types) {
      store.remove(.query(query))
      requests.outdate(.query(query))
      if isOnScreen[query] { ask(.query(query), nil) }
    }
  }

  // MARK: Files

  private func name(of key: Key) -> FileName {
    if let name = names[key] { return name }
    let name = FileName(key)
    names[key] = name
    return name
  }

  private func finishDue() {
    while let work = agenda.takeDue(at: now) {
      switch work {
      case .operation(let operation):
        store.finishOperation(perform(operation), at: now)
        startWorking()
      case .read(let ticket, let key): finish(ticket, of: key, reading(of: key))
      }
    }
  }

  private func startWorking() {
    while let operation = store.nextOperation(at: now) {
      let time =
        switch operation {
        case .open, .list: readTime
        case .write, .remove, .delete, .deleteAll: writeTime
        }
      guard time == .zero else {
        return agenda.add(.operation(operation), at: now.advanced(by: time))
      }
      store.finishOperation(perform(operation), at: now)
    }
    // Notices for developers, which are ignored here.
    _ = store.takeNotices()
  }

  private func perform(_ operation: DiskOperation<Key, StoredRows>) -> DiskResult {
    switch operation {
    case .open: return .done
    case .list: return .listed(folder.list)
    case .write(let key, let rows, let date):
      if let failure = folder.failure(at: now) { return .failed(failure) }
      return .written(
        folder.write(
          name(of: key), rows, bytes: rows.bytes + Seal.byteCount, date: date))
    case .remove(let key): folder.remove(name(of: key))
    case .delete(let files): for file in files { folder.remove(file) }
    case .deleteAll: folder.removeAll()
    }
    return .done
  }

  private func reading(of key: Key) -> FileReading<StoredRows> {
    let usesDate = store.options.diskBytes != nil
    guard let found = folder.read(name(of: key), use: usesDate ? now : nil) else { return .absent }
    return .found(found.content, bytes: found.content.bytes, found.file)
  }

  // MARK: Memory

  private func measure() {
    use.memoryBytes = store.tableBytes + store.valueBytes
    let ofBytes = Double(store.memoryUsed) / Double(max(1, memoryLimit))
    let ofMemory = capacityMemory.map { Double(use.memoryBytes) / Double(max(1, $0)) } ?? 0
    use.limitShare = max(ofBytes, ofMemory)
    use.diskBytes = folder.bytes
    use.files = folder.files
    use.diskWrites = folder.writes
  }
}

extension TwoTierUnderTest: CountableCache {
  func takeCore() throws -> DesignCore {
    var taken = try Store(store.options)
    swap(&taken, &store)
    var values: [StoredRows] = []
    taken.forEachInMemory { values.append($0) }
    let tables = taken.tableBytes
    return DesignCore(
      taken, entries: values.count, predictedTables: tables, predicted: use.memoryBytes,
      values: values.map(\.bytes), shared: values)
  }
}
