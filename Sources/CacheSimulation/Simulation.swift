// Re-exported for code that simulates its own cache or policy: instants, versions, policies, metrics and
// rows.
@_exported public import CacheModel
@_exported public import EvictionPolicies
@_exported public import ResultModel
package import Workloads

/// Runs one workload under any number of policies, in virtual time.
///
/// Data that does not depend on the policy is prepared once. Runs share no mutable state, so they may run
/// concurrently.
package struct Simulation: Sendable {
  package let workload: Workload
  package let schema: SimulationSchema
  /// The cache's key of each query of the workload.
  let keys: [QueryKey]
  let queryOfKey: [QueryKey: Int]
  let objectOfKey: ObjectIndex
  /// The order of the workload's states, from which the server answers.
  let order: StateOrder
  let history: SectionHistory
  /// The appearance of states in lists of summaries.
  let seen: SeenStates
  /// The server's states that an app's recording shows; `nil`: all are known.
  let sightings: Sightings?
  /// The index of each query's class among those of the model.
  let classOfQuery: [Int]
  /// The indices of mutations by position in the stream.
  let mutationsByPosition: [Int]
  /// The clients that run, by index.
  let clients: [Int]

  /// The limits of the comparison.
  ///
  /// A policy without its own limits is compared with them: it cannot win by using more than others may.
  let sharedLimits: SharedLimits

  /// The predicted memory of the caches in an app.
  package let memory: PredictedMemory

  /// - Parameters:
  ///   - workload: the traffic.
  ///   - sharedLimits: the limits for `over_limit` of policies without their own.
  ///   - clients: the clients to run, by index; `nil`: all.
  package init(
    of workload: Workload, sharedLimits: SharedLimits = .none, clients: [Int]? = nil
  ) {
    self.clients = clients ?? Array(workload.clients.indices)
    self.workload = workload
    self.sharedLimits = sharedLimits
    schema = SimulationSchema(of: workload, onlyAsked: true)
    memory = PredictedMemory(workload.catalog)
    let keys = workload.queries.map {
      QueryKey(
        library: workload.library, method: $0.kind.method, input: QueryInput.encode($0))
    }
    self.keys = keys
    queryOfKey = Dictionary(
      keys.indices.map { (keys[$0], $0) }, uniquingKeysWith: { first, _ in first })
    objectOfKey = ObjectIndex(of: workload.catalog.objects)
    order = StateOrder(of: workload)
    history = SectionHistory(of: workload, order: order)
    seen = SeenStates(of: workload)
    sightings = workload.truth == .observed ? Sightings(of: workload, seen: seen) : nil
    classOfQuery = workload.classOfQuery
    mutationsByPosition = GapLedger.order(of: workload.mutations)
  }

  /// Runs every client of the workload under one policy.
  ///
  /// If its eviction order looks ahead, each client is first run in a cache without limits, and the reads of
  /// that run are the future. That is an estimate: evictions change what is fetched, and so the times of
  /// reads.
  ///
  /// - Parameters:
  ///   - policy: the name, for results and errors.
  ///   - composition: the policy.
  ///   - order: an eviction order that replaces the policy's; each of its answers is checked.
  ///   - timelineParts: the number of parts of time for counts over time; `nil`: none.
  /// - Returns: the results over all clients.
  /// - Throws: ``DivergenceError`` if a policy that promises convergence breaks it; `CachePolicyError` if it
  ///   is invalid; ``PolicyFailure`` if the given order violates the rules.
  package func run(
    policy: String, composition: CachePolicy, order: EvictionPolicyDescriptor? = nil,
    timelineParts: Int? = nil
  ) throws -> SimulationResult {
    try run(
      policy: policy, composition: composition, order: order, timelineParts: timelineParts,
      notesReads: false
    ).result
  }

  /// Runs every client, and returns the outcome of each read if requested: by client, in the order of their
  /// scripts.
  func run(
    policy: String, composition: CachePolicy, order: EvictionPolicyDescriptor?,
    timelineParts: Int? = nil, notesReads: Bool
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    var total = Tally(classes: workload.model.classes.count)
    var timeline = timelineParts.map { Timeline(duration: workload.duration, parts: $0) }
    var outcomes = ReadOutcomes()
    var figures: [SimulationResult.Client] = []
    var reads: [ReadRecord] = []
    let admission = AdmissionPolicies.named(composition.admission)
    for client in clients {
      let uses = try uses(ofClient: client, composition, order)
      var run = try ClientSimulation(
        self, client: client, policy: policy, composition: composition, order: order, uses: uses)
      run.timeline = timelineParts.map { Timeline(duration: workload.duration, parts: $0) }
      if notesReads { run.records = [] }
      try run.run()
      total.add(run.tally)
      if let own = run.timeline { timeline?.add(own) }
      outcomes.append(run.outcomes)
      figures.append(SimulationResult.Client(run.tally))
      // They are recorded when they end.
      reads += (run.records ?? []).sorted { $0.action < $1.action }
    }
    total.divideMeans(by: clients.count)
    timeline?.divideMeans(by: clients.count)
    let result = SimulationResult(
      of: workload, policy: policy, mayReject: admission?.mayReject == true, total,
      outcomes: outcomes, clients: figures, timeline: timeline)
    return (result, reads)
  }

  /// Returns the future for a client's cache; `nil` if its order does not look ahead.
  func uses(
    ofClient client: Int, _ composition: CachePolicy, _ given: EvictionPolicyDescriptor? = nil
  ) throws -> UseLog? {
    let order = given ?? EvictionPolicies.named(composition.evictionOrder)
    guard order?.needsFuture == true else { return nil }
    return try rehearse(client: client, composition)
  }

  /// Runs one client without limits, and reports all uses to the order, also of entities that a query would
  /// retain.
  private func rehearse(client: Int, _ composition: CachePolicy) throws -> UseLog {
    let uses = UseLog()
    var unlimited = composition
    unlimited.evictionOrder = "unbounded"
    unlimited.maximumQueries = nil
    unlimited.retention = .none
    var run = try ClientSimulation(
      self, client: client, policy: "rehearsal", composition: unlimited, uses: uses,
      isRehearsal: true)
    try run.run()
    return uses
  }

  package static func run(
    workload: Workload, policyName: String, composition: CachePolicy
  ) throws -> [ResultRow] {
    try Simulation(of: workload).run(policy: policyName, composition: composition).rows
  }
}

extension Simulation {
  /// Runs every client of the workload with a black-box cache.
  ///
  /// Figures that cannot be measured from outside, such as its contents, are empty in the rows.
  ///
  /// - Parameters:
  ///   - name: the cache's name in results and errors; ``ListMembership`` is derived from it.
  ///   - predictsMemory: whether the caches report their memory.
  ///   - timelineParts: the number of parts of time for counts over time; `nil`: none.
  ///   - recordsTurns: whether a failure contains the input of the cache (``CacheFailure/told``).
  ///   - start: starts a cache for a client, or for a client's next process.
  /// - Returns: the figures of all clients, and every read.
  /// - Throws: ``CacheFailure`` if the cache violates the rules.
  package func run(
    cache name: String, predictsMemory: Bool = false, timelineParts: Int? = nil,
    recordsTurns: Bool = false,
    _ start: @escaping (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    let membership = ListMembership(ofCache: name)
    var total = Tally(classes: workload.model.classes.count)
    var timeline = timelineParts.map { Timeline(duration: workload.duration, parts: $0) }
    var outcomes = ReadOutcomes()
    var claim: String?
    var figures: [SimulationResult.Client] = []
    var reads: [ReadRecord] = []
    for client in clients {
      func failed(_ fault: CacheFault) -> CacheFailure {
        CacheFailure(
          scenario: workload.name, cache: name, client: workload.clients[client].name,
          seed: workload.seed, fault: fault)
      }
      let outliving = OutlivingState(of: workload, client: client)
      if membership == .given { outliving.lists = TruthOfLists(self) }
      var process: (recorder: RecordingCache, launch: CacheLaunch, sent: SentStates?)?
      var run = try ClientSimulation<ExternalCacheDriver>(
        self, client: client, policy: name, composition: Self.nothingPromised
      ) { now in
        var launch = CacheLaunch(
          workload, place: client, capacity: sharedLimits.capacity, at: now)
        launch.stored = outliving.beginProcess(at: now)
        launch.membership = membership
        do throws(CacheFault) {
          let cache = try started(launch, start)
          guard recordsTurns else { return ExternalCacheDriver(cache, self, outliving) }
          let recorder = RecordingCache(cache)
          process = (recorder, launch, outliving.sent)
          return ExternalCacheDriver(recorder, self, outliving)
        } catch {
          throw failed(error)
        }
      }
      claim = claim ?? run.store.cache.claim
      run.records = []
      run.timeline = timelineParts.map { Timeline(duration: workload.duration, parts: $0) }
      do {
        try run.run()
      } catch {
        run.store.end()
        guard var failure = error as? CacheFailure, let process else { throw error }
        failure.told = FaultReplay(
          self, process.launch, sent: process.sent, process.recorder)
        throw failure
      }
      // A built-in cache has reported its own storage.
      if outliving.isStoring, run.tally.disk == nil {
        _ = outliving.beginProcess(at: run.now)
        run.tally.disk = DiskTally(
          peakBytes: outliving.stored.peakBytes, rowsWritten: outliving.stored.count)
      }
      total.add(run.tally)
      if let own = run.timeline { timeline?.add(own) }
      outcomes.append(run.outcomes)
      figures.append(SimulationResult.Client(run.tally))
      reads += (run.records ?? []).sorted { $0.action < $1.action }
    }
    total.divideMeans(by: clients.count)
    timeline?.divideMeans(by: clients.count)
    var result = SimulationResult(
      of: workload, policy: name, mayReject: false, sight: predictsMemory ? .memory : .nothing,
      total, outcomes: outcomes, clients: figures, timeline: timeline)
    result.claim = claim
    return (result, reads)
  }

  private func started(
    _ launch: CacheLaunch, _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) throws(CacheFault) -> any CacheUnderTest {
    if launch.membership == .given, let obstacle = TruthOfLists.obstacle(workload) {
      throw CacheFault(.notOffered, obstacle)
    }
    let cache = try start(launch)
    guard launch.membership == .own || cache.features.contains(.given) else {
      cache.end()
      throw CacheFault(.lacksFeature, "`\(CacheFeature.given.rawValue)`: its name says @given")
    }
    guard workload.writes.isEmpty || cache.features.contains(.writes) else {
      cache.end()
      throw CacheFault(.lacksFeature, "`\(CacheFeature.writes.rawValue)`: its users write")
    }
    guard seen.isEmpty || cache.features.contains(.parts) else {
      cache.end()
      throw CacheFault(
        .lacksFeature, "`\(CacheFeature.parts.rawValue)`: its lists show a part of each row")
    }
    return cache
  }

  private static var nothingPromised: CachePolicy {
    CachePolicy(
      evictionOrder: "unbounded", capacity: Capacity(entities: nil), retention: .none,
      freshness: Freshness(timeToLive: nil), membership: .blind, maximumQueries: nil)
  }
}

/// The limits that the caches of a comparison share.
package struct SharedLimits: Hashable, Sendable {
  package var capacity: Capacity
  package var maximumQueries: Int?

  package init(capacity: Capacity, maximumQueries: Int?) {
    self.capacity = capacity
    self.maximumQueries = maximumQueries
  }

  package static let none = SharedLimits(capacity: .unlimited, maximumQueries: nil)
}
