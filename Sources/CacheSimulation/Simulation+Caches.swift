import CacheModel
import NormalizedCache
import Workloads

extension Simulation {
  /// Why a workload cannot be put before a cache that is known only from outside; `nil`: it can.
  package var obstacleToCaches: String? {
    workload.model.hasSummaries
      ? "its lists show summaries, and protocol version 1 has no words for them yet" : nil
  }

  /// Runs every client of the workload over a cache that is known only from outside.
  ///
  /// What nobody can see from there, such as what it keeps, is left empty in the rows.
  ///
  /// - Parameters:
  ///   - name: what results and errors call the cache; ``ListMembership`` is read from it.
  ///   - start: begins one for a client, or for a client's next process.
  /// - Returns: what came of all clients together, and every read.
  /// - Precondition: there is no ``obstacleToCaches``.
  /// - Throws: ``CacheFailure`` where the cache does not keep to the rules.
  package func run(
    cache name: String, _ start: @escaping (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    precondition(obstacleToCaches == nil)
    let membership = ListMembership(ofCache: name)
    var total = Tally(classes: workload.model.classes.count)
    var outcomes = ReadOutcomes()
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
      var run = try ClientSimulation<TurnCache>(
        self, client: client, policy: name, composition: Self.nothingPromised
      ) { now in
        var launch = CacheLaunch(
          workload, place: client, capacity: sharedLimits.capacity, at: now)
        launch.stored = outliving.beginProcess(at: now)
        launch.membership = membership
        do throws(CacheFault) {
          let recorder = RecordingCache(try started(launch, start))
          process = (recorder, launch, outliving.isSent)
          return TurnCache(recorder, self, outliving)
        } catch {
          throw failed(error)
        }
      }
      run.records = []
      do {
        try run.run()
      } catch {
        run.store.end()
        guard var failure = error as? CacheFailure, let process else { throw error }
        failure.told = FaultReplay(
          self, process.launch, isSent: process.isSent, process.recorder)
        throw failure
      }
      if outliving.isStoring {
        _ = outliving.beginProcess(at: run.now)
        run.tally.disk = DiskTally(
          peakBytes: outliving.stored.peakBytes, rowsWritten: outliving.stored.count)
      }
      total.add(run.tally)
      outcomes.append(run.outcomes)
      clients.append(SimulationResult.Client(run.tally))
      reads += (run.records ?? []).sorted { $0.action < $1.action }
    }
    total.divideMeans(by: workload.clients.count)
    let result = SimulationResult(
      of: workload, policy: name, mayReject: false, isInsideKnown: false, total,
      outcomes: outcomes, clients: clients, timeline: nil)
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
  private static var nothingPromised: PolicyComposition {
    PolicyComposition(
      evictionOrder: "unbounded", capacity: Capacity(entities: nil), retention: .none,
      freshness: Freshness(timeToLive: nil), membership: .blind, maximumQueries: nil)
  }
}
