import CacheModel
import EvictionPolicies
import NormalizedCacheCore
import RecordingCodec
import Workloads

/// One client in virtual time: a cache, its session, its link, and the server that it talks to.
///
/// Of what happens at one instant, commits at the server come first, then a relaunch, then deliveries, then what
/// requests bring about (in the order in which it was put in), then session actions, then the
/// cache's own deadlines.
struct ClientSimulation<Cache: SimulatedCache & ~Copyable>: ~Copyable {
  let input: Simulation
  /// The client's place in the workload.
  let client: Int
  let script: ClientScript
  let policy: String
  let composition: CachePolicy

  /// Whether this cache hears of the server's commits.
  let pushesEvents: Bool

  var store: Cache
  /// An empty cache, as a process begins with at an instant.
  let makeStore: (Instant) throws -> Cache
  var server: SimulatedServer
  var timing: RequestTiming
  /// Whether the app recorded what its views ask again for, under this policy.
  let asksAsRecorded: Bool
  /// What an app recorded of the requests of this policy.
  var replies: RecordedReplies
  /// What an app recorded of all requests, in the order in which answers came; how many of these the
  /// server knows, and how many it was asked for.
  let answersByArrival: [Int]
  var nextTold = 0
  var answersAsked = 0
  var pending = PendingEvents()
  var nextAction = 0
  /// By how much the user is behind the script, in nanoseconds, for having waited.
  var delay: Int64 = 0
  /// Whether the user waits for a read.
  var isUserWaiting = false
  /// The next delivery that arrives by itself, where the link has no limit.
  private var nextDelivery = 0
  /// The deliveries in order of sending, where the link has one, and the next of them to be sent.
  private let sendingOrder: [Int]
  private var nextSending = 0
  /// The way to the client and the way to the server.
  var downlink: LinkQueue
  var uplink: LinkQueue
  /// When the last delivery arrived that no later one may overtake, in nanoseconds.
  var lastInOrder: Int64 = 0
  /// When the connection began, in nanoseconds: what was sent before never arrives.
  var connectedSince = Int64.min

  var now = Instant.zero
  var step = 0
  var tally: Tally
  /// What became of the user's read in each action of the script: the place of the outcome, or
  /// ``ReadOutcomes/none``.
  var outcomes: [UInt8]
  /// Where the user's reads are written down as they end; `nil`: nowhere.
  var records: [ReadRecord]?

  /// Where actions are taken to; empty between steps.
  var takenActions: [CacheAction] = []
  /// Reads that wait for a fetch; looked up, never iterated.
  var waiting: [FetchID: [Read]] = [:]
  var views: [View]
  /// Queries that are observed, in the order in which they were first observed.
  var observed: [Int] = []
  var rowsAtHand: RowsAtHand

  /// Which of what the cache was told is recorded, and when it asked for what is under way, in nanoseconds; kept only
  /// for the recording of an app.
  var requestTimes: RequestTimes?
  var underWay: [FetchID: Int64] = [:]

  /// What is asked for because events were missed, until it is answered; looked up, never iterated.
  var owed: Set<FetchTarget> = []
  /// Whether what the cache asks for in this step makes up for missed events.
  var isCatchingUp = false
  /// How often the store had lost track of the stream when that was last looked at.
  var resyncsBefore = 0

  var gaps: GapLedger
  /// Ends of partitions from which the cache has not recovered yet.
  var recoveries: [Recovery] = []
  var nextPartition = 0
  var lastSuspect: Int?

  /// Whether the warm-up is over.
  var isCounting: Bool
  /// What the store had counted when it ended.
  var countedBefore = CacheStatistics()
  /// What the processes before this one counted.
  var former = FormerProcesses()
  /// The next end of the process.
  var nextRelaunch = 0
  /// `nil` where the process never ends.
  var coldStarts: ColdStarts?
  /// What outlives the process; `nil`: nothing, or it would not be used again.
  var disk: SimulatedDisk?
  /// The most that the cache's own disk took, and what had been written to it when counting began.
  var ownDisk = (peakBytes: 0, files: 0, writesBefore: 0)
  var diskNanoseconds = 0.0
  /// Which queries the user wants kept.
  var isTagged: [Bool]
  /// What the user was told of each write; `nil` where this user only reads.
  var ledger: WriteLedger?
  /// Looked up, never iterated: the own write that creates an object, and that leaves a state.
  var creations: [UInt32: UInt32] = [:]
  var writeOfState: [UInt32: UInt32] = [:]
  /// How long own writes take, drawn apart from other requests.
  var writeTiming: RequestTiming
  /// What becomes of the events of own writes.
  let ownEventDraws: RandomSource
  /// Which queries and which entities the user has read.
  var hasReadQuery: [Bool]
  var hasReadEntity: [Bool]

  /// Where uses are written down, or looked up; `nil`: no policy looks ahead.
  let uses: UseLog?
  let isRehearsal: Bool
  /// Where everything that the cache is given is written down; `nil`: nowhere.
  var calls: CallLog?
  /// When what happened; `nil`: not asked for.
  var timeline: Timeline?
  /// What the eviction policy does wrong, where it was given as a value; `nil`: it is one of ours.
  private var watch: PolicyWatch?

  var entityNanoseconds = 0.0
  var weightNanoseconds = 0.0

  init(
    _ input: Simulation, client: Int, policy: String, composition: CachePolicy,
    uses: UseLog? = nil, isRehearsal: Bool = false, inOneProcess: Bool = false,
    makeStore: @escaping (Instant) throws -> Cache
  ) throws {
    self.input = input
    self.policy = policy
    self.composition = composition
    self.client = client
    var script = input.workload.clients[client]
    if inOneProcess { script.relaunches = [] }
    tally = Tally(classes: input.workload.model.classes.count)
    self.uses = uses
    self.isRehearsal = isRehearsal
    uses?.now = 0
    self.makeStore = makeStore
    store = try makeStore(.zero)
    let takesEvents = store.takesEvents
    pushesEvents = input.workload.pushesEvents && takesEvents
    if !pushesEvents { script.deliveries = [] }
    self.script = script
    if !script.relaunches.isEmpty {
      coldStarts = ColdStarts(
        queries: input.workload.queries.count, entities: input.workload.catalog.objects.count)
    }
    let mayLose = !script.relaunches.isEmpty || script.actions.contains { $0.kind.isWrite }
    if mayLose { disk = composition.storage.map { SimulatedDisk($0, schema: input.schema) } }
    server = SimulatedServer(
      input.workload, order: input.order, history: input.history, seen: input.seen,
      client: client)
    timing = RequestTiming(input.workload.network, client: client)
    asksAsRecorded =
      input.workload.places != nil && policy == input.workload.answeredPolicy
    replies = RecordedReplies(policy == input.workload.answeredPolicy ? script.answers : [])
    answersByArrival = script.answers.indices.sorted {
      (script.answers[$0].at, $0) < (script.answers[$1].at, $1)
    }
    writeTiming = RequestTiming(input.workload.network, client: client, label: "writes")
    ownEventDraws = RandomSource(seed: input.workload.network.seed)
      .substream("own-events", UInt64(client))
    downlink = LinkQueue(bytesPerSecond: input.workload.network.bytesPerSecond)
    uplink = downlink
    sendingOrder =
      input.workload.network.bytesPerSecond == nil ? [] : Self.sendingOrder(of: script.deliveries)
    outcomes = [UInt8](repeating: ReadOutcomes.none, count: script.actions.count)
    isCounting = input.workload.warmUp == .zero
    hasReadQuery = [Bool](repeating: false, count: input.workload.queries.count)
    isTagged = hasReadQuery
    hasReadEntity = [Bool](repeating: false, count: input.workload.catalog.objects.count)
    views = [View](repeating: View(), count: input.workload.queries.count)
    requestTimes = input.sightings.map { _ in RequestTimes(of: input.workload) }
    rowsAtHand = RowsAtHand(objectCount: input.workload.catalog.objects.count)
    gaps = GapLedger(
      script.deliveries, input.workload.mutations, byPosition: input.mutationsByPosition)
    if let disk { store.persist(disk.writeBehind, at: now) }
    if server.writing != nil { prepareToWrite() }
  }

  /// The deliveries by the instants at which they are sent; of equal instants in order of arrival.
  private static func sendingOrder(of deliveries: [Delivery]) -> [Int] {
    func sent(_ index: Int) -> Instant { deliveries[index].sentAt ?? deliveries[index].at }
    return deliveries.indices.sorted {
      sent($0) != sent($1) ? sent($0) < sent($1) : $0 < $1
    }
  }

  /// Carries out the script, lets the cache come to rest, and compares it with the truth.
  mutating func run() throws {
    let end = end
    while let next = nextInstant(), next <= end { try takeStep(at: next) }
    // What follows is the harness's doing, not the session's.
    calls = nil
    try settle()
    store.giveUpReads()
    endAnsweredReads()
    store.end()
    finishTally()
  }

  func failure(_ fault: CacheFault) -> CacheFailure {
    CacheFailure(
      scenario: input.workload.name, cache: policy, client: script.name,
      seed: input.workload.seed, fault: fault)
  }

  private func failure(_ fault: PolicyFault) -> PolicyFailure {
    PolicyFailure(
      scenario: input.workload.name, policy: policy, client: script.name,
      seed: input.workload.seed, step: step, at: now, fault: fault)
  }

  /// The end of the run, and of all that the script has in store.
  var end: Instant {
    let last = [
      script.actions.last?.at, script.deliveries.last?.at, script.partitions.last?.upperBound,
    ]
    return last.compactMap { $0 }.reduce(.zero.advanced(by: input.workload.duration), max)
  }

  /// When something happens next; `nil` when nothing is under way.
  func nextInstant() -> Instant? {
    var next = Int64.max
    if let relaunch = nextRelaunchInstant { next = min(next, relaunch) }
    if let action = nextActionInstant { next = min(next, action) }
    if let arrival = nextArrival { next = min(next, arrival) }
    if let sending = nextSendingInstant { next = min(next, sending) }
    if nextPartition < script.partitions.count {
      next = min(next, script.partitions[nextPartition].upperBound.nanoseconds)
    }
    if let event = pending.nextInstant { next = min(next, event) }
    if let deadline = store.nextDeadline { next = min(next, deadline.nanoseconds) }
    return next == .max ? nil : Instant(nanoseconds: next)
  }

  private var nextRelaunchInstant: Int64? {
    nextRelaunch < script.relaunches.count ? script.relaunches[nextRelaunch].nanoseconds : nil
  }

  /// When the user acts next; `nil` while waiting, and when nothing is left to do.
  private var nextActionInstant: Int64? {
    guard !isUserWaiting, nextAction < script.actions.count else { return nil }
    let at = script.actions[nextAction].at.nanoseconds + delay
    // What the user did not come to is not done after the end.
    return delay > 0 && at > input.workload.duration.wholeNanoseconds ? nil : at
  }

  /// When the next delivery arrives that takes no turn on the link.
  private var nextArrival: Int64? {
    sendingOrder.isEmpty && nextDelivery < script.deliveries.count
      ? script.deliveries[nextDelivery].at.nanoseconds : nil
  }

  /// When the server puts the next delivery on the link.
  private var nextSendingInstant: Int64? {
    guard nextSending < sendingOrder.count else { return nil }
    let delivery = script.deliveries[sendingOrder[nextSending]]
    return (delivery.sentAt ?? delivery.at).nanoseconds
  }

  mutating func takeStep(at next: Instant) throws {
    pass(to: next)
    step += 1
    if Cache.isKnownFromOutside { store.tellLink(isUp: !isLinkDown, at: now) }
    let time = next.nanoseconds
    if nextPartition < script.partitions.count,
      script.partitions[nextPartition].upperBound.nanoseconds <= time
    {
      // The next visit begins when it begins, however long the user waited in the last one.
      if !isUserLate(for: script.partitions[nextPartition].lowerBound) { delay = 0 }
      nextPartition += 1
      comeOnline()
      recoveries.append(
        Recovery(since: time, position: server.position, bytesBefore: tally.bytesFetched))
    }
    if let end = nextRelaunchInstant, end <= time {
      nextRelaunch += 1
      try relaunch()
    } else if let sending = nextSendingInstant, sending <= time {
      send(delivery: sendingOrder[nextSending])
      nextSending += 1
    } else if let arrival = nextArrival, arrival <= time {
      let delivery = script.deliveries[nextDelivery]
      nextDelivery += 1
      try deliver(delivery)
    } else if let at = pending.nextInstant, at <= time, let event = pending.popNext() {
      if case .delivery(let index) = event {
        // What was under way when the link broke is lost.
        if !isLinkDown { try deliver(script.deliveries[index]) }
      } else {
        handle(event)
      }
    } else if let at = nextActionInstant, at <= time {
      let action = script.actions[nextAction]
      takeRecordedResult(ofAction: nextAction)
      nextAction += 1
      uses?.isReading = true
      act(action.kind)
      uses?.isReading = false
    } else if let deadline = store.nextDeadline, deadline.nanoseconds <= time {
      let cursor = store.cursor(of: StreamID(library: input.workload.library))
      let detected = store.statistics.gapsDetected
      calls?.note(.wake, at: now)
      store.advance(to: now)
      if store.statistics.gapsDetected > detected {
        gaps.noteDetection(after: cursor)
      }
    }
    carryOutActions(completing: nil)
    if let fault = store.fault { throw failure(fault) }
    if let fault = watch?.fault { throw failure(fault) }
    checkRecoveries()
  }

  /// Moves the clock, and adds up what was resident in the meantime.
  mutating func pass(to next: Instant) {
    timeline?.note(
      entities: store.residentEntities, from: now.nanoseconds, to: next.nanoseconds)
    if !isCounting, case let warmUp = Instant.zero.advanced(by: input.workload.warmUp),
      next >= warmUp
    {
      beginCounting()
      now = max(now, warmUp)
    }
    if isCounting {
      let elapsed = Double(next.nanoseconds - now.nanoseconds)
      entityNanoseconds += elapsed * Double(store.residentEntities)
      weightNanoseconds += elapsed * Double(store.residentWeight)
      if let disk { diskNanoseconds += elapsed * Double(disk.usedBytes) }
    }
    if let use = store.use { note(use, until: next) }
    now = max(now, next)
    uses?.now = now.nanoseconds
    server.advance(to: now)
    if server.writing != nil { noteCommits() }
  }

  mutating func put(_ event: PendingEvent, at time: Int64) { pending.insert(event, at: time) }
}

extension ClientSimulation where Cache == CacheStore<SimulationSchema> {
  /// A client with the real cache; an `order` takes the place of the one that the composition names.
  init(
    _ input: Simulation, client: Int, policy: String, composition: CachePolicy,
    order: EvictionPolicyDescriptor? = nil, uses: UseLog? = nil, isRehearsal: Bool = false,
    inOneProcess: Bool = false
  ) throws {
    let watch = order.map { _ in PolicyWatch() }
    try self.init(
      input, client: client, policy: policy, composition: composition, uses: uses,
      isRehearsal: isRehearsal, inOneProcess: inOneProcess
    ) { _ in
      try CacheStore(
        composition: composition, schema: input.schema, seed: input.workload.seed,
        values: input.memory.values, order: order, looksAhead: uses != nil
      ) { plain in
        var made = plain
        if let watch, let order { made = WatchedOrder(made, of: order.name, noting: watch) }
        if let uses { made = ForesightOrder(made, log: uses, isRehearsal: isRehearsal) }
        return made
      }
    }
    self.watch = watch
  }
}
