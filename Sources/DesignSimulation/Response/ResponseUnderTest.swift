import CacheFiles
import CacheModel
import CacheSimulation
import ResponseCacheCore
import Workloads

/// The store of a response cache in an app without events: a body is the answer to a request, the rows of a
/// list or one entity, and its ETag the position in the server's stream at which it was read.
///
/// Entries that the user keeps are fetched with a tag. The app's own changes are shown after their
/// confirmation: the next read of the entity, and of every list that may contain its type, requests it from
/// the server, and visible ones are requested immediately. Without a link any stored entry is served.
final class ResponseUnderTest: MeasuredCache {
  typealias Target = CacheReply.Target
  typealias Store = ResponseStore<FileName, StoredRows>

  private struct Flight {
    var ticket: RequestTicket
    var target: Target
    var asked: Instant
    /// Whether its target has changed since the request: the answer may be older.
    var isOutdated = false
  }

  private enum Work {
    case operation(StoreOperation<FileName, StoredRows>)
    case read(RequestTicket, Target)
  }

  private struct Reader {
    var turn: Int
    /// Whether it uses the stored entry if there is no answer.
    var isContent = false
  }

  let features: Set<CacheFeature> = [.writes, .parts]
  let takesEvents = false
  private(set) var use = CacheUse()

  private let input: DesignInput
  private let folder: ResponseFolder
  private var store: Store
  private let capacityMemory: Int?
  private let maximumAge: Duration
  private let readTime: Duration
  private let writeTime: Duration

  private var now: Instant
  private var replies: [CacheReply] = []
  /// The requests for targets that are never stored.
  private var requests = Requests()
  private var writes = OwnWrites()
  private var agenda = Agenda<Work>()
  private var isLinkUp = true
  // Used for look-ups only.
  private var flights: [Int: Flight] = [:]
  private var waiting: [RequestTicket: [Reader]] = [:]
  private var names: [Target: FileName] = [:]
  private var pulledObjects: Set<UInt32> = []
  /// The pending exchanges by target.
  private var flightOfTarget: [Target: Int] = [:]
  private var lastID = 0
  private var isOnScreen: [Bool]
  /// The queries that the user keeps.
  private var isTagged: [Bool]
  /// The queries whose next read requests the server.
  private var isPulled: [Bool]

  /// The first of the fetch identifiers that this class assigns.
  private static let firstID = 1 << 30

  init(
    _ options: ResponseOptions, _ settings: DesignSettings, _ input: DesignInput,
    _ folder: ResponseFolder, _ launch: CacheLaunch
  ) throws(ResponseOptionsError) {
    store = try ResponseStore(options, seed: launch.seed)
    now = launch.at
    self.input = input
    self.folder = folder
    capacityMemory = settings.capacity.memory
    // The maximum number of seconds in HTTP.
    maximumAge = settings.duration("maximum-age") ?? .seconds(1 << 31)
    readTime = settings.duration("disk-read-time") ?? .zero
    writeTime = settings.duration("disk-write-time") ?? .zero
    isOnScreen = [Bool](repeating: false, count: input.workload.queries.count)
    isPulled = isOnScreen
    isTagged = isOnScreen
    // The app waits for it before it shows anything.
    if let operation = store.nextOperation(at: now) {
      store.finishOperation(folder.perform(operation, at: now), at: now)
    }
  }

  func refresh(_ query: Int) { isPulled[query] = true }

  /// Ends the process; pending writes are lost.
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
    case .tag(let query):
      isTagged[query] = true
      // A query without a previous read is tagged by its first one.
      if store.isStored(name(of: .query(query))) { fetch(.query(query), nil) }
    case .response(let id, let response): take(response, to: id)
    case .link(let isUp):
      isLinkUp = isUp
      store.isOnline = isUp
      writes.link(isUp: isUp)
    case .write(let write): writes.add(write)
    case .answer(let token, let answer):
      if let confirmation = writes.take(answer, to: token, at: now) { take(confirmation) }
    case .wake: writes.wake(at: now)
    case .event, .heartbeat: break
    }
    startWorking()
    finishDue()
    replies += writes.takeSends()
    measure()
    return TurnAnswer(
      replies: replies,
      wake: [agenda.next, writes.nextTry, store.nextDeadline].compactMap(\.self).min()
        .map { max($0, now) })
  }

  // MARK: Reads

  private func read(_ target: Target, _ turn: Int) {
    guard input.isKept(target) else {
      if let request = requests.ask(target, turn: turn) { replies.append(request) }
      return
    }
    let isPulled = takePull(of: target)
    fetch(target, Reader(turn: turn, isContent: isPulled), reloads: isPulled)
  }

  private func takePull(of target: Target) -> Bool {
    switch target {
    case .query(let query):
      defer { isPulled[query] = false }
      return isPulled[query]
    case .object(let object): return pulledObjects.remove(object) != nil
    }
  }

  private func fetch(
    _ target: Target, _ reader: Reader?, reloads: Bool = false
  ) {
    var tag: TextKey?
    if case .query(let query) = target, isTagged[query] { tag = "kept" }
    let (step, keep) = store.fetch(name(of: target), tag: tag, reloads: reloads, at: now)
    if let keep { store.forget(keep) }
    proceed(step, target, reader.map { [$0] } ?? [])
  }

  private func proceed(_ step: FetchStep<StoredRows>, _ target: Target, _ readers: [Reader]) {
    switch step {
    case .served(let served):
      let rows = input.rows(served.body.states)
      for reader in readers { replies.append(.serve(turn: reader.turn, rows)) }
      // A waiting view is notified by its answer.
      if readers.isEmpty, served.source == .network, case .query(let query) = target,
        isOnScreen[query]
      {
        replies.append(.notify(query: query, rows))
      }
    case .failed(let failure): for reader in readers { fail(reader, target, failure) }
    // All requests are equal, so that none has to wait for another's end.
    case .join(let ticket), .follow(let ticket): waiting[ticket, default: []] += readers
    case .read(let ticket, _):
      waiting[ticket, default: []] += readers
      agenda.add(.read(ticket, target), at: now.advanced(by: readTime))
    case .exchange(let ticket, let condition):
      waiting[ticket, default: []] += readers
      ask(
        Flight(ticket: ticket, target: target, asked: now), since: condition.flatMap(Self.position))
    }
  }

  private func fail(_ reader: Reader, _ target: Target, _ failure: FetchFailure) {
    // The entity does not exist.
    if failure == .status(404) { return replies.append(.serve(turn: reader.turn, [])) }
    guard reader.isContent else { return replies.append(.fail(turn: reader.turn)) }
    store.isOnline = false
    fetch(target, Reader(turn: reader.turn))
    store.isOnline = isLinkUp
  }

  // MARK: Servers

  private func ask(_ flight: Flight, since: StreamPosition?) {
    lastID += 1
    let id = Self.firstID + lastID
    flights[id] = flight
    flightOfTarget[flight.target] = id
    replies.append(.fetch(id: id, flight.target, since: since))
  }

  private func take(_ response: CacheOperation.Response, to id: Int) {
    if let request = requests.end(id) { return pass(response, to: request) }
    guard var flight = flights.removeValue(forKey: id) else { return }
    flightOfTarget[flight.target] = nil
    if flight.isOutdated, case .rows = response {
      flight.isOutdated = false
      return ask(flight, since: nil)
    }
    if flight.isOutdated, case .notModified = response {
      flight.isOutdated = false
      return ask(flight, since: nil)
    }
    let step = store.finishExchange(flight.ticket, exchange(response, flight), at: now)
    proceed(step, flight.target, waiting.removeValue(forKey: flight.ticket) ?? [])
  }

  private func exchange(
    _ response: CacheOperation.Response, _ flight: Flight
  ) -> Exchange<StoredRows> {
    switch response {
    case .rows(let sent, _, let position):
      let states = input.states(of: sent)
      if case .object = flight.target, states.isEmpty { return answer(404, [], nil, flight) }
      return answer(200, states, position, flight)
    case .notModified: return answer(304, [], nil, flight)
    case .unreachable: return isLinkUp ? .timedOut : .offline
    case .refused: return answer(503, [], nil, flight)
    case .events, .tooOld: return .invalid("no answer to a request for rows")
    }
  }

  private func answer(
    _ status: Int, _ states: [UInt32], _ position: StreamPosition?, _ flight: Flight
  ) -> Exchange<StoredRows> {
    let rows = input.storedRows(states)
    return .answered(
      Answer(
        status: status, body: rows, bytes: rows.bytes, digest: Self.digest(of: states),
        kind: .json, etag: position.map { "\"\($0.epoch)-\($0.sequence)\"" },
        fields: CacheFields(maximumAge: maximumAge), asked: flight.asked))
  }

  private static func position(_ condition: ResponseCondition) -> StreamPosition? {
    guard case .etag(let etag) = condition else { return nil }
    let parts = etag.dropFirst().dropLast().split(separator: "-")
    guard parts.count == 2, let epoch = UInt32(parts[0]), let sequence = UInt64(parts[1]) else {
      return nil
    }
    return StreamPosition(epoch: epoch, sequence: sequence)
  }

  /// Returns a hash with the length of SHA-256, which is different for other states.
  private static func digest(of states: [UInt32]) -> BodyDigest {
    var words: [UInt64] = [1, 2, 3, 4]
    for state in states {
      for index in words.indices {
        words[index] = (words[index] ^ UInt64(state)) &* 0x9E37_79B9_7F4A_7C15
        words[index] ^= words[index] >> 29
      }
    }
    return BodyDigest(words: words)
  }

  private func pass(_ response: CacheOperation.Response, to request: Requests.Request) {
    for turn in request.turns + request.contentTurns {
      if case .rows(let sent, _, _) = response {
        replies.append(.serve(turn: turn, input.rows(input.states(of: sent))))
      } else {
        replies.append(.fail(turn: turn))
      }
    }
  }

  /// Processes the confirmation of a user's change: affected entries are requested again.
  private func take(_ confirmation: CacheOperation.Confirmation) {
    var types: Set<ResourceType> = []
    for object in confirmation.rows.map({ input.object(of: $0.state) }) + confirmation.deleted {
      if let type = input.type(of: object) { types.insert(type) }
      pulledObjects.insert(object)
      outdate(.object(object))
    }
    for query in isPulled.indices where input.lists(query, any: types) {
      isPulled[query] = true
      outdate(.query(query))
      guard isOnScreen[query], input.isKept(.query(query)) else { continue }
      isPulled[query] = false
      fetch(.query(query), nil, reloads: true)
    }
  }

  private func outdate(_ target: Target) {
    if let id = flightOfTarget[target] { flights[id]?.isOutdated = true }
  }

  // MARK: Files

  private func name(of target: Target) -> FileName {
    if let name = names[target] { return name }
    let name = FileName(target)
    names[target] = name
    return name
  }

  private func finishDue() {
    while let work = agenda.takeDue(at: now) {
      switch work {
      case .operation(let operation):
        store.finishOperation(folder.perform(operation, at: now), at: now)
        startWorking()
      case .read(let ticket, let target):
        let step = store.finishRead(ticket, reading(of: target), at: now)
        proceed(step, target, waiting.removeValue(forKey: ticket) ?? [])
      }
    }
  }

  private func startWorking() {
    while let operation = store.nextOperation(at: now) {
      guard writeTime == .zero else {
        return agenda.add(.operation(operation), at: now.advanced(by: writeTime))
      }
      store.finishOperation(folder.perform(operation, at: now), at: now)
    }
    // Notices for developers, which are ignored here.
    _ = store.takeNotices()
  }

  private func reading(of target: Target) -> BodyReading<StoredRows> {
    guard let rows = folder.bodies.read(name(of: target), use: nil)?.content else { return .absent }
    return .found(
      rows, bytes: rows.bytes, digest: Self.digest(of: rows.states), isSound: true)
  }

  // MARK: Memory

  private func measure() {
    use.memoryBytes = store.tableBytes + store.bodyBlocks
    use.limitShare = capacityMemory.map { Double(use.memoryBytes) / Double(max(1, $0)) }
    use.diskBytes = folder.bytes
    use.files = folder.files
    use.diskWrites = folder.writes
  }
}

extension ResponseUnderTest: CountableCache {
  func takeCore() throws -> DesignCore {
    var taken = try Store(store.options)
    swap(&taken, &store)
    var bodies: [StoredRows] = []
    taken.forEachInMemory { bodies.append($0) }
    let (entries, tables) = (taken.entryCount, taken.tableBytes)
    return DesignCore(
      taken, entries: entries, predictedTables: tables, predicted: use.memoryBytes,
      values: bodies.map(\.bytes), shared: bodies)
  }
}
