import CacheModel
import NormalizedCacheCore
import Workloads

extension Simulation {
  /// Why a workload cannot be put before a cache that is known only from outside; `nil`: it can.
  package var obstacleToCaches: String? {
    workload.model.hasSummaries
      ? "its lists show summaries, and protocol version 1 has no words for them yet" : nil
  }

  /// Runs every client of the workload over a cache that is known only from outside.
  ///
  /// What cannot be seen from there, such as what it keeps, is left empty in the rows.
  ///
  /// - Parameters:
  ///   - name: what results and errors call the cache; ``ListMembership`` is read from it.
  ///   - predictsMemory: whether what is begun says what it takes in memory.
  ///   - timelineParts: in how many parts of time the run is shown as well; `nil`: it is not.
  ///   - recordsTurns: whether a failure has what the cache was told (``CacheFailure/told``).
  ///   - start: begins one for a client, or for a client's next process.
  /// - Returns: what came of all clients together, and every read.
  /// - Precondition: there is no ``obstacleToCaches``.
  /// - Throws: ``CacheFailure`` where the cache does not keep to the rules.
  package func run(
    cache name: String, predictsMemory: Bool = false, timelineParts: Int? = nil,
    recordsTurns: Bool = false,
    _ start: @escaping (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    precondition(obstacleToCaches == nil)
    let membership = ListMembership(ofCache: name)
    var total = Tally(classes: workload.model.classes.count)
    var timeline = timelineParts.map { Timeline(duration: workload.duration, parts: $0) }
    var outcomes = ReadOutcomes()
    var claim: String?
    var clients: [SimulationResult.Client] = []
    var reads: [ReadRecord] = []
    for client in workload.clients.indices {
      func failed(_ fault: CacheFault) -> CacheFailure {
        CacheFailure(
          scenario: workload.name, cache: name, client: workload.clients[client].name,
          seed: workload.seed, fault: fault)
      }
      let outliving = OutlivingState(of: workload, client: client)
      if membership == .given { outliving.lists = TruthOfLists(self) }
      var process: (recorder: RecordingCache, launch: CacheLaunch, isSent: [Bool]?)?
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
          process = (recorder, launch, outliving.isSent)
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
          self, process.launch, isSent: process.isSent, process.recorder)
        throw failure
      }
      // One of ours has said itself what it stored.
      if outliving.isStoring, run.tally.disk == nil {
        _ = outliving.beginProcess(at: run.now)
        run.tally.disk = DiskTally(
          peakBytes: outliving.stored.peakBytes, rowsWritten: outliving.stored.count)
      }
      total.add(run.tally)
      if let own = run.timeline { timeline?.add(own) }
      outcomes.append(run.outcomes)
      clients.append(SimulationResult.Client(run.tally))
      reads += (run.records ?? []).sorted { $0.action < $1.action }
    }
    total.divideMeans(by: workload.clients.count)
    timeline?.divideMeans(by: workload.clients.count)
    var result = SimulationResult(
      of: workload, policy: name, mayReject: false, sight: predictsMemory ? .memory : .nothing,
      total, outcomes: outcomes, clients: clients, timeline: timeline)
    result.claim = claim
    return (result, reads)
  }

  /// Starts a cache that has what the workload asks for.
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
    return cache
  }

  /// Stands where the simulation asks a composition what it promises.
  private static var nothingPromised: CachePolicy {
    CachePolicy(
      evictionOrder: "unbounded", capacity: Capacity(entities: nil), retention: .none,
      freshness: Freshness(timeToLive: nil), membership: .blind, maximumQueries: nil)
  }
}
