import NormalizedCacheCore
import RecordingCodec
import Workloads

/// A scenario, read and checked: what is to happen, and the policies that see it.
///
/// From a scenario come streams, one for each seed; each is put before as many policies and caches as
/// one likes:
///
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
  ///   - file: what errors call it.
  ///   - models: the bytes of each model that its `data` may `use`, by name; 1 MiB each at most.
  /// - Throws: ``SimulationError/unreadable(_:)``, with all that is wrong.
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

  /// What results call it.
  public var name: String { scenario.name }
  /// The policies that it names, in its order.
  public var policies: [String] { scenario.policies.map(\.name) }

  /// The first seeds, from the scenario's own on.
  public func seeds(_ count: Int) -> [UInt64] {
    (0..<UInt64(max(0, count))).map { scenario.seed &+ $0 }
  }

  /// Draws what happens under a seed: the same on every machine.
  ///
  /// Takes as long as a run or two, and memory in proportion to what happens.
  ///
  /// - Parameter seed: names the random numbers; `nil`: the scenario's own.
  /// - Returns: the stream, ready to be run.
  public func stream(seed: UInt64? = nil) -> SimulatedStream {
    SimulatedStream(Workload.generate(scenario, seed: seed), scenario)
  }

  /// What an app recorded, before the policies and with the cache settings of this scenario.
  ///
  /// - Parameters:
  ///   - recording: the bytes of a session, as `SessionRecorder` or `tidemark simulate --record` writes it.
  ///   - file: what errors call it.
  /// - Returns: the stream, ready to be run.
  /// - Throws: ``SimulationError/unreadable(_:)`` if it is no recording, or one of other queries than
  ///   the scenario's.
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
  /// The names of the clients, each of which has its own cache.
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
  ///   - order: the order, described by its type: `EvictionPolicyDescriptor(Mine.self)`. Results have its
  ///     name.
  ///   - policy: the name of the policy whose order it replaces.
  /// - Returns: what came of it.
  /// - Throws: ``PolicyFailure`` if the order names what may not be evicted, or nothing though something
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
  /// - Throws: ``CacheFailure`` if the cache does not keep to the rules, or is not deterministic.
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

/// What one policy or cache did on one stream, all clients together.
public struct SimulatedRun: Sendable {
  /// The policy or the cache, as the rows call it.
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

  /// What was measured.
  ///
  /// - Parameters:
  ///   - metric: as `.freshHitRatio`; it says its unit and which statistics it has.
  ///   - class: the reads that are meant: of the lists of a class, as `file`; `total`: of all lists;
  ///     `all`: of lists and single entities.
  ///   - statistic: which of the metric's; for most there is one.
  /// - Returns: the value; `nil` if nothing was measured, which is not zero.
  public func value(
    of metric: Metric, in class: ResultClass = .total, _ statistic: Statistic = .value
  ) -> MetricValue? {
    rows.first { $0.metric == metric && $0.class == `class` && $0.statistic == statistic }?.value
  }

  /// The rows of runs as CSV, as `tidemark simulate --format csv` writes them.
  ///
  /// - Parameter runs: in the order in which they are written.
  /// - Returns: the bytes of a file: a header, then a line for each row; an empty value is a missing one.
  /// - Throws: a description, where a value is infinite.
  public static func csv(_ runs: [SimulatedRun]) throws -> [UInt8] {
    try TidyTable.csv(runs.flatMap(\.rows))
  }

  /// What became of each read after the warm-up, client by client, in the order of the users' actions.
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

/// What became of one read of a user's.
public struct SimulatedRead: Hashable, Sendable {
  public var client: String
  /// The place among the actions of the client's user.
  public var action: Int
  /// When it was made, in virtual time.
  public var at: Instant
  /// What was read, as `files.directory(17)`.
  public var subject: String
  /// The metric that counts such reads, as `.hitFresh`.
  public var outcome: Metric
  /// For how long it waited; `nil` if no answer came.
  public var waited: Duration?
  /// For how long what it was served had not been the truth; `nil` if it was.
  public var age: Duration?
  /// How what it was served differs from the truth; `nil` if it does not, and after a wait.
  public var difference: RowDifference?
}

/// Why something cannot be simulated: what was handed in, not what came of it.
public enum SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file is no scenario or no recording: one line for each problem, each with place, cause and remedy.
  case unreadable(String)
  /// Neither the scenario nor the presets have a policy of this name.
  case unknownPolicy(String, known: [String])
  /// The policy cannot be carried out, and why.
  case unfitPolicy(String, reason: String)

  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .unreadable(let problems): problems
    case .unknownPolicy(let name, let known):
      "no policy is called \"\(name)\"; there are \(known.joined(separator: ", "))"
    case .unfitPolicy(let name, let reason): "policy \"\(name)\": \(reason)"
    }
  }
}
