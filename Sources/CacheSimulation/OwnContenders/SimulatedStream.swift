import NormalizedCacheCore
import Workloads

/// All that happens in one run, put before any number of policies and caches.
///
/// Nothing in it depends on what a cache answers, so every contender faces the same. Runs share nothing
/// that changes: they may go on at the same time.
public struct SimulatedStream: Sendable {
  let simulation: Simulation
  private let scenario: Scenario

  init(_ workload: Workload, _ scenario: Scenario) {
    self.scenario = scenario
    simulation = Simulation(
      of: workload,
      sharedLimits: SharedLimits(
        capacity: scenario.cache.capacity, maximumQueries: scenario.cache.maximumQueries))
  }

  /// What an app recorded, with presets under the common defaults.
  ///
  /// - Parameters:
  ///   - recording: the bytes of a session, as `SessionRecorder` or `tidemark simulate --record` writes it.
  ///   - file: what errors call it.
  /// - Throws: ``SimulationError/unreadable(_:)``.
  public init(recording: some Sequence<UInt8>, file: String) throws(SimulationError) {
    let workload = try SimulatedScenario.workload(recording, file: file)
    self.init(workload, Scenario(of: workload.model))
  }

  /// What results call it.
  public var name: String { simulation.workload.name }
  public var seed: UInt64 { simulation.workload.seed }
  /// The names of the clients, each of which has a cache of its own.
  public var clients: [String] { simulation.workload.clients.map(\.name) }

  /// Runs a policy of the scenario, or a preset.
  ///
  /// - Parameter name: as the scenario's `policies` or `tidemark list policies` have it.
  /// - Returns: what came of it.
  /// - Throws: ``SimulationError``; ``DivergenceError`` where the policy breaks a promise.
  public func run(policy name: String) throws -> SimulatedRun {
    try run(name, composition: composition(of: name), order: nil)
  }

  /// Runs an eviction order of one's own in the place of a policy's.
  ///
  /// Each of its answers is checked. All else (capacity, freshness, how events are taken) is the policy's.
  ///
  /// - Parameters:
  ///   - order: the order, described by its type: `EvictionPolicyDescriptor(Mine.self)`. Results bear its
  ///     name.
  ///   - policy: the policy in which it takes the place of the order, by name.
  /// - Returns: what came of it.
  /// - Throws: ``PolicyFailure`` where the order names what may not be evicted, or nothing though something
  ///   may; what ``run(policy:)`` throws.
  public func run(
    evictionOrder order: EvictionPolicyDescriptor, in policy: String = "lru"
  ) throws -> SimulatedRun {
    try run(order.name, composition: composition(of: policy), order: order)
  }

  /// Runs a cache of one's own, one for each client.
  ///
  /// What cannot be seen from outside, such as what it keeps, has no value in the rows. It is run twice, so
  /// that a cache is found that does not do the same both times.
  ///
  /// - Parameters:
  ///   - name: what results call it.
  ///   - start: begins one for a client, or for a client's next process.
  /// - Returns: what came of the first of the two runs.
  /// - Throws: ``CacheFailure`` where the cache does not keep to the rules, or is not deterministic;
  ///   ``SimulationError`` where the stream says what no turn can.
  public func run(
    cache name: String, _ start: @escaping (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) throws -> SimulatedRun {
    if let obstacle = simulation.obstacleToCaches {
      throw SimulationError.unfitStream(self.name, reason: obstacle)
    }
    let first = try simulation.run(cache: name, start)
    let second = try simulation.run(cache: name, start)
    guard first.reads == second.reads, first.result.rows == second.result.rows else {
      let other = zip(first.reads, second.reads).first { $0 != $1 }?.0
      throw CacheFailure(
        scenario: self.name, cache: name, client: clients[other?.client ?? 0], seed: seed,
        fault: CacheFault(
          .notDeterministic, other.map { "read of action \($0.action)" } ?? "", at: other?.instant))
    }
    return SimulatedRun(first.result, first.reads, of: simulation)
  }

  private func run(
    _ name: String, composition: CachePolicy, order: EvictionPolicyDescriptor?
  ) throws -> SimulatedRun {
    let (result, reads) = try simulation.run(
      policy: name, composition: composition, order: order, notesReads: true)
    return SimulatedRun(result, reads, of: simulation)
  }

  private func composition(of policy: String) throws -> CachePolicy {
    guard let composition = scenario.composition(for: policy) else {
      let own = scenario.policies.map(\.name)
      throw SimulationError.unknownPolicy(
        policy, known: own + Preset.names.filter { !own.contains($0) })
    }
    do throws(CachePolicyError) {
      try composition.validate()
    } catch {
      throw SimulationError.unfitPolicy(policy, reason: "\(error)")
    }
    return composition
  }
}

extension ReadRecord {
  fileprivate var instant: Instant { Instant.zero.advanced(by: .nanoseconds(at)) }
}
