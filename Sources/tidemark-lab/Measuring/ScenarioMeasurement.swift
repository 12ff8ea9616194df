import Analysis
import CacheModel
import CachePersistence
import CacheSimulation
import CommandLineInterface
import EvictionPolicies
import Processes
import RealTime
import ResultModel
import Workloads

/// The policies of one scenario on the real cache: in time, and what each takes in memory.
struct ScenarioMeasurement {
  var file: ScenarioFile
  var policies: [ReplayedPolicy]
  var seed: UInt64
  var rate: Double?
  var extent = PolicyMeasurement.Extent.full

  /// What is measured where nothing else is asked for.
  ///
  /// In this scenario most events concern what a user looks at.
  static let usualScenario = "twenty-thousand-entities"
  static let usualPolicies = ["lru", "refcount", "ttl", "spacedrive"]

  /// - Parameters:
  ///   - file: the scenario.
  ///   - names: the policies; none: the usual ones.
  ///   - seed: the first.
  ///   - areHandicapsAdded: whether the first policy runs twice more, slower and fatter.
  /// - Throws: ``CommandFailure`` where a policy is not known, or looks ahead.
  init(
    _ file: ScenarioFile, policies names: [String], seed: UInt64, areHandicapsAdded: Bool = false
  ) throws(CommandFailure) {
    self.file = file
    self.seed = seed
    let contenders = try file.contenders(names.isEmpty ? Self.usualPolicies : names)
    if let stranger = contenders.first(where: { $0.cache.composition == nil }) {
      throw CommandFailure(
        .input,
        "\"\(stranger.name)\" is known only from outside, and values in real time are those of caches of "
          + "the library; simulate it, or name others with --policies")
    }
    if let seer = contenders.first(where: \.looksAhead) {
      throw CommandFailure(
        .input, "policy \"\(seer.name)\" knows the future, which no cache in real time does")
    }
    policies = contenders.compactMap { contender in
      contender.cache.composition.map {
        ReplayedPolicy(name: contender.name, composition: $0)
      }
    }
    if areHandicapsAdded, let first = policies.first {
      policies += ReplayedPolicy.Handicap.allCases.map(first.with)
    }
  }

  /// What came of a measurement: its rows, those of one policy together, and what is asked of them.
  struct Result {
    var latency: [ResultRow]
    var memory: [ResultRow]
    var targets: [Target]

    /// The figures of a policy together, the control's behind them.
    var rows: [ResultRow] {
      let all = latency + memory
      let names = all.distinct(\.policy).filter { !$0.isEmpty } + [""]
      return names.flatMap { name in all.filter { $0.policy == name } }
    }
  }

  /// - Throws: what a simulation throws.
  func run(progress: ProgressLine) async throws -> Result {
    let scenario = file.scenario
    var measurement = PolicyMeasurement(
      scenario: scenario.name, policies: policies, seed: seed,
      sharedLimits: SharedLimits(
        capacity: scenario.cache.capacity, maximumQueries: scenario.cache.maximumQueries),
      workload: { Workload.generate(scenario, seed: $0) })
    measurement.rate = rate ?? measurement.rate
    measurement.extent = extent
    let latency = try await measurement.run { progress.report($0) }
    progress.report("\(scenario.name): memory")
    let memory = try await TerminationSignals.cancelling { [file, policies, seed] in
      await MemoryRun(deadline: .seconds(600)).rowsOrWarning(
        ["policies", file.path] + policies.map(\.name), seed: seed, progress: progress)
    }
    let played = policies.map(\.name).filter { Self.isPlayed($0, latency) }
    for name in policies.map(\.name) where !played.contains(name) {
      progress.end()
      Console.note(
        "warning: \(name) served other reads in real time than in the simulation, so its figures are no "
          + "verdict")
    }
    return Result(
      latency: latency, memory: memory,
      targets: MachineTargets.policies(played, scenario: scenario.name))
  }

  /// Whether the cache that was measured did what the simulated one does, to a point of hits.
  private static func isPlayed(_ policy: String, _ rows: [ResultRow]) -> Bool {
    func hits(_ metric: Metric) -> Double? {
      rows.first { $0.policy == policy && $0.metric == metric }?.value?.asDouble
    }
    guard let simulated = hits(.hitRatio), let measured = hits(.measuredHitRatio) else {
      return false
    }
    return abs(simulated - measured) <= 0.01
  }
}

extension Contender {
  /// Whether its order is told what will be read.
  fileprivate var looksAhead: Bool {
    cache.composition.flatMap { EvictionPolicies.named($0.evictionOrder) }?.needsFuture == true
  }
}

/// What one cache costs as it grows, whatever the scenario: updates beside much that is unrelated, its own
/// share of an event, a storage, memory per entity.
enum CoreCosts {
  /// The composition that stores its content.
  static let policy = "spacedrive"

  /// - Throws: `CachePolicyError`, `MeasurementError`, `StorageError`, or `CancellationError`.
  static func run(seed: UInt64, isQuick: Bool, progress: ProgressLine) async throws -> [ResultRow] {
    let costs = try await CostRun(seed: seed) { progress.report($0) }
      .run(scenario: "update-cost")
    var eventCosts = EventCostRun(seed: seed) { progress.report($0) }
    if isQuick { eventCosts.makeQuick() }
    let events = try await eventCosts.run(scenario: "event-cost")
    // These two leave files and a process behind unless they are cleaned up.
    return try await TerminationSignals.cancelling {
      progress.report("persistence: with a storage, with one that stalls, and without")
      let persistence = try await persistenceRows(seed: seed, isQuick: isQuick)
      progress.report("memory")
      return await costs + events + persistence
        + MemoryRun().rowsOrWarning(seed: seed, progress: progress)
    }
  }

  /// What a storage costs, measured on files in a temporary folder.
  private static func persistenceRows(seed: UInt64, isQuick: Bool) async throws -> [ResultRow] {
    let folder = TemporaryFolder(for: "storage")
    try folder.make()
    defer { folder.remove() }
    var run = PersistenceRun(policy: policy, seed: seed) { name in
      SQLiteStorage(path: folder.path(of: "\(name).sqlite"))
    }
    if isQuick { run.makeQuick() }
    return try await run.run(scenario: "update-cost")
  }
}

extension MemoryRun {
  /// The rows of memory; none, with a warning, where jemalloc is not installed or does not answer: the
  /// rest of the report is worth having, and a target on memory then says that it has no data.
  func rowsOrWarning(
    _ arguments: [String] = [], seed: UInt64, progress: ProgressLine
  ) async -> [ResultRow] {
    do throws(MemoryRunError) {
      return try await rows(arguments, seed: seed)
    } catch {
      // Whoever ended the run was told enough.
      if Task.isCancelled { return [] }
      progress.end()
      Console.note("warning: memory is not measured: \(error)")
      return []
    }
  }
}
