import CacheModel
import HeapModule
import NormalizedCache
import Workloads

/// One client in virtual time: a cache, its session, its link, and the server that it talks to.
///
/// Of what happens at one instant, commits at the server come first, then deliveries, then what
/// requests bring about (in the order in which it was put in), then session actions, then the
/// cache's own deadlines.
struct ClientSimulation: ~Copyable {
  let input: Simulation
  /// The client's place in the workload.
  let client: Int
  let script: ClientScript
  let policy: String
  let composition: PolicyComposition

  var store: CacheStore<SimulationSchema>
  var server: SimulatedServer
  var timing: RequestTiming
  var pending = Heap<PendingEvent>()
  var nextOrdinal: UInt64 = 0
  var nextAction = 0
  var nextDelivery = 0

  var now = Instant.zero
  var step = 0
  var tally = Tally()

  /// Where actions are taken to; empty between steps.
  var takenActions: [CacheAction] = []
  /// Reads that wait for a fetch; looked up, never iterated.
  var waiting: [FetchID: [WaitingRead]] = [:]
  var views: [View]
  /// Queries that are observed, in the order in which they were first observed.
  var observed: [Int] = []
  var rowsAtHand: RowsAtHand

  var gaps: GapLedger
  /// Ends of partitions from which the cache has not recovered yet.
  var recoveries: [Recovery] = []
  var nextPartition = 0
  var lastSuspect: Int?

  /// Where uses are written down, or looked up; `nil`: nobody looks ahead.
  let uses: UseLog?

  private var entityNanoseconds = 0.0
  private var weightNanoseconds = 0.0

  init(
    _ input: Simulation, client: Int, policy: String, composition: PolicyComposition,
    uses: UseLog? = nil, isRehearsal: Bool = false
  ) throws {
    self.input = input
    self.policy = policy
    self.composition = composition
    self.client = client
    script = input.workload.clients[client]
    self.uses = uses
    uses?.now = 0
    store = try CacheStore(
      composition: composition, schema: input.schema, seed: input.workload.seed,
      values: input.memory.values,
      foresight: uses.map { log in
        { ForesightOrder($0, log: log, isRehearsal: isRehearsal) }
      })
    server = SimulatedServer(input.workload, order: input.order)
    timing = RequestTiming(input.workload.network, client: client)
    views = [View](repeating: View(), count: input.workload.queries.count)
    rowsAtHand = RowsAtHand(objectCount: input.workload.catalog.objects.count)
    gaps = GapLedger(script.deliveries, input.workload.mutations)
  }

  /// Carries out the script, lets the cache come to rest, and compares it with the truth.
  mutating func run() throws {
    let end = end
    while let next = nextInstant(), next <= end { try takeStep(at: next) }
    try settle()
    finishTally()
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
    if nextAction < script.actions.count {
      next = min(next, script.actions[nextAction].at.nanoseconds)
    }
    if nextDelivery < script.deliveries.count {
      next = min(next, script.deliveries[nextDelivery].at.nanoseconds)
    }
    if nextPartition < script.partitions.count {
      next = min(next, script.partitions[nextPartition].upperBound.nanoseconds)
    }
    if let event = pending.min { next = min(next, event.at) }
    if let deadline = store.nextDeadline { next = min(next, deadline.nanoseconds) }
    return next == .max ? nil : Instant(nanoseconds: next)
  }

  mutating func takeStep(at next: Instant) throws {
    pass(to: next)
    step += 1
    let time = next.nanoseconds
    if nextPartition < script.partitions.count,
      script.partitions[nextPartition].upperBound.nanoseconds <= time
    {
      nextPartition += 1
      recoveries.append(
        Recovery(since: time, position: server.position, bytesBefore: tally.bytesFetched))
    }
    if nextDelivery < script.deliveries.count,
      script.deliveries[nextDelivery].at.nanoseconds <= time
    {
      let delivery = script.deliveries[nextDelivery]
      nextDelivery += 1
      try deliver(delivery.content)
    } else if let event = pending.min, event.at <= time {
      pending.removeMin()
      handle(event.kind)
    } else if nextAction < script.actions.count, script.actions[nextAction].at.nanoseconds <= time {
      let action = script.actions[nextAction]
      takeRecordedResult(ofAction: nextAction)
      nextAction += 1
      uses?.isReading = true
      act(action.kind)
      uses?.isReading = false
    } else if let deadline = store.nextDeadline, deadline.nanoseconds <= time {
      let cursor = store.cursor(of: StreamID(library: input.workload.library))
      let detected = store.statistics.gapsDetected
      store.advance(to: now)
      if store.statistics.gapsDetected > detected {
        gaps.noteDetection(after: cursor, deliveredUpTo: nextDelivery)
      }
    }
    carryOutActions(completing: nil)
    checkRecoveries()
  }

  /// Moves the clock, and adds up what was resident in the meantime.
  mutating func pass(to next: Instant) {
    let elapsed = Double(next.nanoseconds - now.nanoseconds)
    entityNanoseconds += elapsed * Double(store.residentEntities)
    weightNanoseconds += elapsed * Double(store.residentWeight)
    now = max(now, next)
    uses?.now = now.nanoseconds
    server.advance(to: now)
  }

  private mutating func deliver(_ content: Delivery.Content) throws {
    tally.operations += 1
    switch content {
    case .event(let index):
      let mutation = input.workload.mutations[Int(index)]
      tally.bytesPushed += mutation.bytes
      store.receive(server.event(of: mutation), at: now)
    case .heartbeat(let position):
      try checkViews()
      server.note(announced: position)
      store.receiveHeartbeat(server.place(position), at: now)
    }
  }

  mutating func put(_ kind: PendingEvent.Kind, at time: Int64) {
    pending.insert(PendingEvent(at: time, ordinal: nextOrdinal, kind: kind))
    nextOrdinal += 1
  }

  var isLinkDown: Bool { isLinkDown(at: now.nanoseconds) }

  func isLinkDown(at time: Int64) -> Bool {
    script.partitions.contains { $0.contains(Instant(nanoseconds: time)) }
  }

  private mutating func finishTally() {
    let statistics = store.statistics
    tally.gapsDetected = statistics.gapsDetected
    tally.falseGaps = gaps.falseGaps
    tally.reconciles = statistics.reconciles
    tally.redundantReconciles = statistics.redundantReconciles
    tally.resyncs = statistics.resyncs
    tally.peakEntities = statistics.peakResidentEntities
    tally.peakWeight = statistics.peakResidentWeight
    tally.peakQueries = statistics.peakQueries
    tally.overLimit = store.overLimit
    // Tables do not shrink, so at the end they are as large as they ever were. A store that is limited
    // in memory has looked after every commit.
    tally.predictedBytes =
      statistics.peakUse.memory > 0
      ? statistics.peakUse.memory
      : input.memory.bytes(of: store, weight: statistics.peakResidentWeight)
    tally.evictions = statistics.evictions
    tally.rejections = statistics.rejections
    tally.retainedOverflow = statistics.retainedOverflow
    tally.entityAccesses = statistics.entityAccesses + statistics.itemsApplied
    tally.eventsApplied = statistics.eventsApplied
    tally.itemsApplied = statistics.itemsApplied
    tally.duplicatesIgnored = statistics.duplicatesIgnored
    let elapsed = Double(now.nanoseconds)
    tally.meanEntities = elapsed > 0 ? entityNanoseconds / elapsed : 0
    tally.meanWeight = elapsed > 0 ? weightNanoseconds / elapsed : 0
  }
}
