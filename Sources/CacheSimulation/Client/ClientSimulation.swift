import CacheModel
import EvictionPolicies
import NormalizedCacheCore
import RecordingCodec
import Workloads

/// One client in virtual time: a cache, its session, its link, and its server.
///
/// At one instant, the server's commits come first, then a relaunch, then deliveries, then effects of
/// requests (in the order of their insertion), then session actions, then the cache's own deadlines.
struct ClientSimulation<Cache: SimulatedCache & ~Copyable>: ~Copyable {
  let input: Simulation
  /// The client's index in the workload.
  let client: Int
  let script: ClientScript
  let policy: String
  let composition: CachePolicy

  let pushesEvents: Bool

  var store: Cache
  /// Makes an empty cache for a process that begins at an instant.
  let makeStore: (Instant) throws -> Cache
  var server: SimulatedServer
  var timing: RequestTiming
  /// Whether the app recorded the repeated reads of its views, under this policy.
  let asksAsRecorded: Bool
  /// The recorded requests of this policy.
  var replies: RecordedReplies
  let failures: RecordedFailures
  /// The indices of all recorded answers in order of arrival; the number applied to the server, and the
  /// number of requests made.
  let answersByArrival: [Int]
  var nextTold = 0
  var answersAsked = 0
  var pending = PendingEvents()
  var nextAction = 0
  /// The user's delay behind the script because of waiting, in nanoseconds.
  var delay: Int64 = 0
  var isUserWaiting = false
  /// The next delivery, if the link has no bandwidth limit.
  private var nextDelivery = 0
  /// The deliveries in order of sending, if the link has a limit, and the next of them to be sent.
  private let sendingOrder: [Int]
  private var nextSending = 0
  /// The directions to the client and to the server.
  var downlink: LinkQueue
  var uplink: LinkQueue
  /// The arrival of the last in-order delivery, in nanoseconds: later ones may not overtake it.
  var lastInOrder: Int64 = 0
  /// The start of the connection, in nanoseconds: messages sent before never arrive.
  var connectedSince = Int64.min

  var now = Instant.zero
  var step = 0
  var tally: Tally
  /// The outcome of the user's read in each action of the script: its index, or ``ReadOutcomes/none``.
  var outcomes: [UInt8]
  /// Records the user's reads as they end; `nil`: not recorded.
  var records: [ReadRecord]?

  /// A reused array for actions; empty between steps.
  var takenActions: [CacheAction] = []
  /// The reads waiting for each fetch; looked up, never iterated.
  var waiting: [FetchID: [Read]] = [:]
  var views: [View]
  /// The observed queries, in the order of their first observation.
  var observed: [Int] = []
  var rowsAtHand: RowsAtHand

  /// Which answers to the cache are recorded, and when it made the requests in flight, in nanoseconds; only
  /// for the recording of an app.
  var requestTimes: RequestTimes?
  var underWay: [FetchID: Int64] = [:]

  /// The targets fetched because events were missed, until they are answered; looked up, never iterated.
  var owed: Set<FetchTarget> = []
  /// Whether the cache's requests in this step make up for missed events.
  var isCatchingUp = false
  /// The store's number of resyncs at the last check.
  var resyncsBefore = 0

  var gaps: GapLedger
  /// Ends of partitions from which the cache has not recovered yet.
  var recoveries: [Recovery] = []
  var nextPartition = 0
  var lastSuspect: Int?

  var isCounting: Bool
  /// The store's counts when counting began.
  var countedBefore = CacheStatistics()
  var former = FormerProcesses()
  /// The index of the next end of the process.
  var nextRelaunch = 0
  /// `nil` if the process never ends.
  var coldStarts: ColdStarts?
  /// The surviving storage; `nil`: none, or it would not be used again.
  var disk: SimulatedDisk?
  /// The peak use of the cache's own disk, and the writes before counting began.
  var ownDisk = (peakBytes: 0, files: 0, writesBefore: 0)
  var diskNanoseconds = 0.0
  var isTagged: [Bool]
  /// The user's notices about each write; `nil` if this user only reads.
  var ledger: WriteLedger?
  /// The own write that creates each object, and that leaves each state; looked up, never iterated.
  var creations: [UInt32: UInt32] = [:]
  var writeOfState: [UInt32: UInt32] = [:]
  /// The duration of own writes, drawn separately from other requests.
  var writeTiming: RequestTiming
  /// The deliveries of own writes' events.
  let ownEventDraws: RandomSource
  /// Whether the user has read each query and each entity.
  var hasReadQuery: [Bool]
  var hasReadEntity: [Bool]

  /// Records uses, or looks them up; `nil`: no policy looks ahead.
  let uses: UseLog?
  /// Records all calls of the cache; `nil`: not recorded.
  var calls: CallLog?
  /// The counts over time; `nil`: not requested.
  var timeline: Timeline?
  /// The fault of an eviction policy passed as a value; `nil`: it is a registered one.
  private var watch: PolicyWatch?

  var entityNanoseconds = 0.0
  var weightNanoseconds = 0.0

  init(
    _ input: Simulation, client: Int, policy: String, composition: CachePolicy,
    uses: UseLog? = nil, inOneProcess: Bool = false,
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
    uses?.now = 0
    self.makeStore = makeStore
    store = try makeStore(.zero)
    let takesEvents = store.takesEvents
    pushesEvents = input.workload.pushesEvents && takesEvents
    script.deliveries = Self.deliveries(
      of: input.workload, to: client, pushesEvents: pushesEvents,
      takesAnswers: takesEvents || !Cache.isKnownFromOutside)
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
    failures = RecordedFailures(input.workload, client: client)
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

  /// Returns the deliveries in order of sending; ties in order of arrival.
  private static func sendingOrder(of deliveries: [Delivery]) -> [Int] {
    func sent(_ index: Int) -> Instant { deliveries[index].sentAt ?? deliveries[index].at }
    return deliveries.indices.sorted {
      sent($0) != sent($1) ? sent($0) < sent($1) : $0 < $1
    }
  }

  /// Runs the script, lets the cache become idle, and compares it with the ground truth.
  mutating func run() throws {
    let end = end
    while let next = nextInstant(), next <= end { try takeStep(at: next) }
    // Later calls are the harness's, not the session's.
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

  /// The end of the run, and of all scripted operations.
  var end: Instant {
    let last = [
      script.actions.last?.at, script.deliveries.last?.at, script.partitions.last?.upperBound,
    ]
    return last.compactMap { $0 }.reduce(.zero.advanced(by: input.workload.duration), max)
  }

  /// Returns the time of the next operation; `nil` when there is none.
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

  /// The time of the user's next action; `nil` while waiting, and when there is none.
  private var nextActionInstant: Int64? {
    guard !isUserWaiting, nextAction < script.actions.count else { return nil }
    let at = script.actions[nextAction].at.nanoseconds + delay
    // Actions delayed beyond the end are not done.
    return delay > 0 && at > input.workload.duration.wholeNanoseconds ? nil : at
  }

  /// The time of the next delivery without a bandwidth limit.
  private var nextArrival: Int64? {
    sendingOrder.isEmpty && nextDelivery < script.deliveries.count
      ? script.deliveries[nextDelivery].at.nanoseconds : nil
  }

  /// The time when the server sends the next delivery.
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
      // The next visit begins on time, however long the user waited in the last one.
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
        // Messages in flight when the link broke are lost.
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

  /// Advances the clock, and integrates resident entities over the time in between.
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
  /// Creates a client with the real cache; an `order` replaces the policy's.
  init(
    _ input: Simulation, client: Int, policy: String, composition: CachePolicy,
    order: EvictionPolicyDescriptor? = nil, uses: UseLog? = nil, isRehearsal: Bool = false,
    inOneProcess: Bool = false
  ) throws {
    let watch = order.map { _ in PolicyWatch() }
    try self.init(
      input, client: client, policy: policy, composition: composition, uses: uses,
      inOneProcess: inOneProcess
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
