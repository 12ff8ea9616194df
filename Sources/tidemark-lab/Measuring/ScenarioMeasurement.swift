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

/// Measures the policies of one input with the actual cache: time and memory.
struct ScenarioMeasurement {
  var input: PlayedInput
  /// The input's arguments for the process that measures memory.
  var arguments: [String]
  var contenders: [Contender]
  var areHandicapsAdded: Bool
  var seed: UInt64
  var rate: Double?
  var extent = PolicyMeasurement.Extent.full

  /// The default scenario.
  ///
  /// In this scenario most events affect visible data.
  static let usualScenario = "twenty-thousand-entities"

  /// - Parameters:
  ///   - arguments: the scenario, or recordings.
  ///   - lender: the scenario file with the caches for recordings.
  ///   - names: the policies; none: the default ones.
  ///   - seed: the first seed.
  ///   - areHandicapsAdded: whether the first policy runs twice more, slower and with more memory.
  /// - Throws: ``CommandFailure`` if a policy is unknown, or requires the future.
  init(
    _ arguments: [String], lender: String?, policies names: [String], seed: UInt64,
    areHandicapsAdded: Bool = false
  ) throws {
    input = try PlayedInput(arguments, lender: lender)
    self.arguments =
      (input.isDrawn ? [input.file.path] : arguments) + (lender.map { ["--scenario", $0] } ?? [])
    self.seed = seed
    self.areHandicapsAdded = areHandicapsAdded
    let all = try input.file.contenders(names)
    contenders = names.isEmpty ? PlayedInput.measured(among: all) : all
    if let stranger = contenders.first(where: { $0.cache.composition == nil }) {
      throw CommandFailure(
        .input,
        "\"\(stranger.name)\" is known only from outside, and values in real time are those of caches of "
          + "the library; simulate it, or name others with --policies")
    }
    if let seer = contenders.first(where: { !$0.isPlayable }) {
      throw CommandFailure(
        .input, "policy \"\(seer.name)\" knows the future, which no cache in real time does")
    }
    guard !contenders.isEmpty else {
      throw CommandFailure(
        .input,
        "\(input.file.path): none of its policies is a cache of the library; name some with --policies"
      )
    }
  }

  /// The scenario's own targets for these measurements.
  var ownTargets: [Target] {
    input.file.targets(for: contenders).filter { $0.metric.noiseClass != .exact }
  }

  /// The policies, with handicaps if requested.
  private var policies: [ReplayedPolicy] {
    let all = contenders.compactMap { contender in
      contender.cache.composition.map { ReplayedPolicy(name: contender.name, composition: $0) }
    }
    guard areHandicapsAdded, let first = all.first else { return all }
    return all + ReplayedPolicy.Handicap.allCases.map(first.with)
  }

  /// The result of a measurement: its rows, grouped by policy, and its targets.
  struct Result {
    var latency: [ResultRow]
    var memory: [ResultRow]
    var targets: [Target]

    /// The rows grouped by policy, the control last.
    var rows: [ResultRow] {
      let all = latency + memory
      let names = all.distinct(\.policy).filter { !$0.isEmpty } + [""]
      return names.flatMap { name in all.filter { $0.policy == name } }
    }
  }

  /// Measures the caches' memory; returns nothing, with a note, if another process cannot read the input.
  private func countMemory(_ progress: ProgressLine) async throws -> [ResultRow] {
    guard !arguments.contains(InputFile.standardInput) else {
      progress.end()
      Console.note(
        "memory is not counted: it needs a file, and \(input.name) is from standard input")
      return []
    }
    progress.report("\(input.name): memory")
    let (words, seed) = (arguments, seed)
    let names = policies.map(\.name).joined(separator: ",")
    return try await TerminationSignals.cancelling {
      await MemoryRun(deadline: .seconds(600)).rowsOrWarning(
        ["policies", names] + words, seed: seed, progress: progress)
    }
  }

  /// - Throws: a simulation's error.
  func run(progress: ProgressLine) async throws -> Result {
    let policies = policies
    let (input, contenders, seed) = (input, contenders, seed)
    var measurement = PolicyMeasurement(
      scenario: input.name, policies: policies, seed: seed, sharedLimits: input.sharedLimits
    ) { round in
      let workload = input.workload(ofRound: round, seed: seed)
      let own = contenders.compactMap { input.contender($0, in: workload).cache.composition }
      // Those with handicaps use the first policy.
      return PolicyMeasurement.Round(
        workload, own + policies.dropFirst(own.count).map { _ in own[0] })
    }
    measurement.rate = rate ?? measurement.rate
    measurement.extent = extent
    let latency = try await measurement.run { progress.report($0) }
    let memory = try await countMemory(progress)
    let played = policies.map(\.name).filter { Self.isPlayed($0, latency) }
    for name in policies.map(\.name) where !played.contains(name) {
      progress.end()
      Console.note(
        "warning: \(name) served other reads in real time than in the simulation, so its figures are no "
          + "verdict")
    }
    if let missing = Self.missing(in: latency) {
      progress.end()
      Console.note("\(input.name): \(missing)")
    }
    return Result(
      latency: latency, memory: memory,
      targets: MachineTargets.policies(played, scenario: input.name))
  }

  /// Returns the missing figures of an input, with the reason; `nil`: none is missing.
  private static func missing(in rows: [ResultRow]) -> String? {
    func count(_ metric: Metric, _ name: ResultClass) -> Int {
      rows.filter { $0.metric == metric && $0.class == name }.compactMap(\.sampleCount).max() ?? 0
    }
    let reads = count(.readLatency, "hit") + count(.readLatency, "view")
    let without =
      "its first client receives no event about a single entity, so the time of such events is not measured"
    return switch (count(.updateToNotify, "single") > 0, reads > 0) {
    case (true, true): nil
    case (true, false): "no read of its first client was a hit, so none is timed"
    case (false, true): without + "; reads are timed"
    case (false, false): without + "; nor are reads, of which none was a hit"
    }
  }

  /// Returns whether the measured cache equals the simulated one, within one percentage point of hits.
  private static func isPlayed(_ policy: String, _ rows: [ResultRow]) -> Bool {
    func hits(_ metric: Metric) -> Double? {
      rows.first { $0.policy == policy && $0.metric == metric }?.value?.asDouble
    }
    guard let simulated = hits(.hitRatio), let measured = hits(.measuredHitRatio) else {
      // Without reads after the warm-up, neither has a ratio.
      return hits(.hitRatio) == nil && hits(.measuredHitRatio) == nil
    }
    return abs(simulated - measured) <= 0.01
  }
}

/// Measures the costs of one cache independent of the scenario: updates with much unrelated state, its own
/// share of an event, a storage, memory per entity.
enum CoreCosts {
  /// The policy with a storage.
  static let policy = "spacedrive"

  /// - Throws: `CachePolicyError`, `MeasurementError`, `StorageError`, or `CancellationError`.
  static func run(seed: UInt64, isQuick: Bool, progress: ProgressLine) async throws -> [ResultRow] {
    let costs = try await CostRun(seed: seed) { progress.report($0) }
      .run(scenario: "update-cost")
    var eventCosts = EventCostRun(seed: seed) { progress.report($0) }
    if isQuick { eventCosts.makeQuick() }
    let events = try await eventCosts.run(scenario: "event-cost")
    // These two must clean up their files and processes.
    return try await TerminationSignals.cancelling {
      progress.report("persistence: with a storage, with one that stalls, and without")
      let persistence = try await persistenceRows(seed: seed, isQuick: isQuick)
      progress.report("memory")
      return await costs + events + persistence
        + MemoryRun().rowsOrWarning(seed: seed, progress: progress)
    }
  }

  /// Returns the cost of a storage, measured with files in a temporary folder.
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
  /// Returns the rows of memory; none, with a warning, if jemalloc is not installed or fails: the rest of the
  /// report is still useful, and targets for memory are then reported without data.
  func rowsOrWarning(
    _ arguments: [String] = [], seed: UInt64, progress: ProgressLine
  ) async -> [ResultRow] {
    do throws(MemoryRunError) {
      return try await rows(arguments, seed: seed)
    } catch {
      // After a cancellation no warning is necessary.
      if Task.isCancelled { return [] }
      progress.end()
      Console.note("warning: memory is not measured: \(error)")
      return []
    }
  }
}
