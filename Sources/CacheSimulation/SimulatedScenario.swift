import NormalizedCacheCore
import RecordingCodec
import Workloads

/// A scenario, read and checked: the traffic to simulate, and its policies.
///
/// Each seed gives a stream, which any number of policies and caches can run:
/// ```swift
/// let scenario = try SimulatedScenario(Data(contentsOf: file), file: file.path)
/// for seed in scenario.seeds(3) {
///   let stream = scenario.stream(seed: seed)
///   let runs = [try stream.run(policy: "lru"), try stream.run(evictionOrder: mine)]
/// }
/// ```
public struct SimulatedScenario: Sendable {
  let scenario: Scenario

  /// Reads a scenario file.
  ///
  /// - Parameters:
  ///   - yaml: its bytes, 1 MiB at most.
  ///   - file: its name in errors.
  ///   - models: the bytes of each model that its `data` may `use`, by name; 1 MiB each at most.
  /// - Throws: ``SimulationError/unreadable(_:)``, with all problems.
  public init(
    _ yaml: some Sequence<UInt8>, file: String, models: [String: [UInt8]] = [:]
  ) throws(SimulationError) {
    do throws(ScenarioError) {
      scenario = try Scenario.parse(
        Array(yaml), file: file, vocabulary: .ofSimulation, models: SharedModels(models))
    } catch {
      throw .unreadable(error.description)
    }
  }

  init(_ scenario: Scenario) { self.scenario = scenario }

  /// The name in results.
  public var name: String { scenario.name }
  /// The names of its policies, in its order.
  public var policies: [String] { scenario.policies.map(\.name) }

  /// Returns the first seeds, beginning with the scenario's own.
  public func seeds(_ count: Int) -> [UInt64] {
    (0..<UInt64(max(0, count))).map { scenario.seed &+ $0 }
  }

  /// Generates the traffic for a seed, identical on every machine.
  ///
  /// Takes as long as a run or two, and memory in proportion to the traffic.
  ///
  /// - Parameter seed: the seed of the random numbers; `nil`: the scenario's own.
  /// - Returns: the stream.
  public func stream(seed: UInt64? = nil) -> SimulatedStream {
    SimulatedStream(Workload.generate(scenario, seed: seed), scenario)
  }

  /// Reads an app's recording, for the policies and with the cache settings of this scenario.
  ///
  /// - Parameters:
  ///   - recording: the bytes of a session, as `SessionRecorder` or `tidemark simulate --record` writes it.
  ///   - file: its name in errors.
  /// - Returns: the stream.
  /// - Throws: ``SimulationError/unreadable(_:)`` if it is not a recording, or has other queries than the
  ///   scenario.
  public func stream(
    recorded recording: some Sequence<UInt8>, file: String
  ) throws(SimulationError) -> SimulatedStream {
    let workload = try Self.workload(recording, file: file)
    guard workload.model.shapes.map(\.name) == scenario.queryNames else {
      throw .unreadable(
        "\(file): its queries are not those of scenario \"\(name)\"; take the scenario of its app")
    }
    return SimulatedStream(workload, scenario)
  }

  static func workload(
    _ recording: some Sequence<UInt8>, file: String
  ) throws(SimulationError) -> Workload {
    do throws(RecordingError) {
      return try SessionRecording.read(Array(recording))
    } catch {
      throw .unreadable("\(file): \(error)")
    }
  }
}

extension Vocabulary {
  /// The names that a scenario may use.
  fileprivate static let ofSimulation = Vocabulary(
    evictionOrders: EvictionPolicies.forCaches.map(\.name),
    clairvoyantOrders: EvictionPolicies.all.filter(\.needsFuture).map(\.name),
    admissions: AdmissionPolicies.all.map(\.name))
}

/// The traffic of one run, for any number of policies and caches.
///
/// It does not depend on a cache's answers, so every contender gets the same. Runs share no mutable state, so
/// they may run concurrently.
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

  /// Reads an app's recording, with presets under the common defaults.
  ///
  /// - Parameters:
  ///   - recording: the bytes of a session, as `SessionRecorder` or `tidemark simulate --record` writes it.
  ///   - file: its name in errors.
  /// - Throws: ``SimulationError/unreadable(_:)``.
  public init(recording: some Sequence<UInt8>, file: String) throws(SimulationError) {
    let workload = try SimulatedScenario.workload(recording, file: file)
    self.init(workload, Scenario(of: workload.model))
  }

  /// The name in results.
  public var name: String { simulation.workload.name }
  public var seed: UInt64 { simulation.workload.seed }
  /// The names of the clients, each of which has its own cache.
  public var clients: [String] { simulation.workload.clients.map(\.name) }

  /// Runs a policy of the scenario, or a preset.
  ///
  /// - Parameter name: a name of the scenario's `policies` or of `tidemark list policies`.
  /// - Returns: the results.
  /// - Throws: ``SimulationError``; ``DivergenceError`` if the policy breaks its promise of convergence.
  public func run(policy name: String) throws -> SimulatedRun {
    try run(name, composition: composition(of: name), order: nil)
  }

  /// Runs your own eviction order instead of a policy's.
  ///
  /// Each of its answers is checked. Everything else (capacity, freshness, events) is the policy's.
  ///
  /// - Parameters:
  ///   - order: the order, described by its type: `EvictionPolicyDescriptor(Mine.self)`. Results have its
  ///     name.
  ///   - policy: the name of the policy whose order it replaces.
  /// - Returns: the results.
  /// - Throws: ``PolicyFailure`` if the order names an entity that must not be evicted, or none though there
  ///   is one; as ``run(policy:)``.
  public func run(
    evictionOrder order: EvictionPolicyDescriptor, in policy: String = "lru"
  ) throws -> SimulatedRun {
    try run(order.name, composition: composition(of: policy), order: order)
  }

  /// Runs your own cache, one for each client.
  ///
  /// Figures that cannot be measured from outside, such as its contents, have no value in the rows. It is run
  /// twice, to detect a cache that is not deterministic.
  ///
  /// - Parameters:
  ///   - name: its name in results.
  ///   - start: starts a cache for a client, or for a client's next process.
  /// - Returns: the results of the first run.
  /// - Throws: ``CacheFailure`` if the cache violates the rules, or is not deterministic.
  public func run(
    cache name: String, _ start: @escaping (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) throws -> SimulatedRun {
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

/// The results of one policy or cache on one stream, over all clients.
public struct SimulatedRun: Sendable {
  /// The name of the policy or the cache in the rows.
  public let name: String
  /// One row for each metric, class and statistic, in the order of the classes and of the registry.
  public let rows: [ResultRow]
  private let records: [ReadRecord]
  private let simulation: Simulation

  init(_ result: SimulationResult, _ records: [ReadRecord], of simulation: Simulation) {
    name = result.policy
    rows = result.rows
    self.records = records
    self.simulation = simulation
  }

  /// Returns a measured value.
  ///
  /// - Parameters:
  ///   - metric: the metric, such as `.freshHitRatio`; it defines its unit and statistics.
  ///   - class: the class of reads: of lists of a class, as `file`; `total`: of all lists; `all`: of lists
  ///     and single entities.
  ///   - statistic: one of the metric's statistics; most have only one.
  /// - Returns: the value; `nil` if nothing was measured, which is not zero.
  public func value(
    of metric: Metric, in class: ResultClass = .total, _ statistic: Statistic = .value
  ) -> MetricValue? {
    rows.first { $0.metric == metric && $0.class == `class` && $0.statistic == statistic }?.value
  }

  /// Returns the rows of runs as CSV, as `tidemark simulate --format csv` writes them.
  ///
  /// - Parameter runs: the runs in the order of the output.
  /// - Returns: the bytes of a file: a header, then a line for each row; an empty value is missing.
  /// - Throws: a description, if a value is infinite.
  public static func csv(_ runs: [SimulatedRun]) throws -> [UInt8] {
    try TidyTable.csv(runs.flatMap(\.rows))
  }

  /// The reads after the warm-up with their outcomes, by client, in the order of the users' actions.
  ///
  /// Two runs of one stream have the same reads, so they can be compared one by one.
  public var reads: [SimulatedRead] {
    let clients = simulation.workload.clients
    return records.map { record in
      SimulatedRead(
        client: clients[record.client].name, action: record.action,
        at: Instant.zero.advanced(by: .nanoseconds(record.at)),
        subject: simulation.name(of: record.subject), outcome: record.outcome,
        waited: record.waited.map { .nanoseconds($0) }, age: record.age.map { .nanoseconds($0) },
        difference: record.difference)
    }
  }
}

/// One read by a user, and its outcome.
public struct SimulatedRead: Hashable, Sendable {
  public var client: String
  /// The index of its action in the client's script.
  public var action: Int
  /// The time of the read, in virtual time.
  public var at: Instant
  /// The target, as `files.directory(17)`.
  public var subject: String
  /// The metric that counts such reads, as `.hitFresh`.
  public var outcome: Metric
  /// The waiting time; `nil` if no answer came.
  public var waited: Duration?
  /// How long served rows had been outdated; `nil` if they were current.
  public var age: Duration?
  /// The difference between served rows and the ground truth; `nil` if there is none, and after a wait.
  public var difference: RowDifference?
}

/// Invalid input of a simulation.
public enum SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file is not a scenario or a recording: one line for each problem, with place, cause and remedy.
  case unreadable(String)
  /// Neither the scenario nor the presets have a policy with this name.
  case unknownPolicy(String, known: [String])
  /// The policy cannot be simulated, with the reason.
  case unfitPolicy(String, reason: String)

  /// The problem, and the fix.
  public var description: String {
    switch self {
    case .unreadable(let problems): problems
    case .unknownPolicy(let name, let known):
      "no policy is called \"\(name)\"; there are \(known.joined(separator: ", "))"
    case .unfitPolicy(let name, let reason): "policy \"\(name)\": \(reason)"
    }
  }
}
