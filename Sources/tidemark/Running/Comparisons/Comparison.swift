import Analysis
import ArgumentParser
import CacheSimulation
import CommandLineInterface
import ResultModel
import Workloads

/// A comparison to simulate: which of some policies to recommend for an input.
struct Comparison: Sendable {
  var input: SimulationInput
  var contenders: [Contender]
  var rule: Goal
  /// Further goals, judged with the same runs, and with more runs of policies that may still win by them.
  var otherRules: [(label: String, rule: Goal)] = []
  var plan: SeedPlan
  /// The seed plan of the further goals.
  var planOfOtherRules: SeedPlan
  /// The first seed; the others follow it.
  var firstSeed: UInt64
  /// Policies that run more than one seed only if they are not far behind in it; `nil`: none.
  ///
  /// Every policy runs that seed first.
  var probed: Set<String>?
  /// Runs that were already made, by policy.
  var known: [String: PolicyRuns] = [:]
  /// The number of seeds whose rows are collected; `nil`: all.
  var seedsWithRows: Int?
  /// Returns whether to collect a row: a verdict needs none.
  var keepsRow: @Sendable (ResultRow) -> Bool = { _ in true }
  /// Whether it is omitted if time runs out.
  var isOptional = false
  /// The number of parts of time for the first seed's counts over time; `nil`: none.
  var timelineParts: Int?

  /// The policies that compete: bounds are references, and are run for the first look only.
  ///
  /// Caches that are given list membership are not ranked with caches that compute it.
  var ranked: [String] {
    let names = contenders.map(\.name).filter { !PolicyEntry.bounds.contains($0) }
    let own = names.filter { ListMembership(ofCache: $0) == .own }
    return own.isEmpty ? names : own
  }

  /// All figures needed from a run's rows.
  var figures: [Figure] {
    ([rule] + otherRules.map(\.rule)).reduce(into: Goal.preferences) { figures, rule in
      for figure in rule.requiredFigures where !figures.contains(figure) { figures.append(figure) }
    }
  }
}

struct ComparisonResult: Sendable {
  var comparison: Comparison
  /// `nil` if no policy competes.
  var verdict: ShipVerdict?
  /// The verdicts by the further goals, in order.
  var otherVerdicts: [Robustness.Alternative] = []
  /// One row each, in the order of the contenders; for several seeds, the mean.
  var means: [ResultRow] = []
  var runs: [PolicyRuns] = []
  /// Why the winner has more fresh hits than the runner-up; `nil` if there are not both.
  var margin: ReadMargin?
  /// The counts over time of the first seed, in the order of the contenders; empty if not requested.
  var timelines: [(policy: String, timeline: Timeline)] = []
  var work = SimulatedWork()
  /// Contenders whose runs ended early, or are not reproducible; the rest is as without them.
  var failures: [ContenderFailure] = []
  /// The names and versions reported by caches, by contender.
  var claims: [String: String] = [:]
  /// The units of exceeded limits, as in `queries`, by contender.
  var exceededLimits: [String: String] = [:]

  /// Returns the runs of one contender; `nil` if it failed or did not take part.
  func runs(of contender: String) -> PolicyRuns? {
    guard comparison.contenders.contains(where: { $0.name == contender }) else { return nil }
    return runs.first { $0.sample.contender == contender }
  }

  var eachSeed: [ResultRow] {
    runs.flatMap { $0.rows.seedCount > 1 ? $0.rows.eachSeed : [] }
  }
}

/// The number of seeds of a comparison: fixed, or as many as necessary.
enum SeedCount: ExpressibleByArgument {
  case fixed(Int)
  case automatic

  /// The maximum number of seeds: more add nothing.
  private static let most = 1_000

  init?(argument: String) {
    if argument == "auto" {
      self = .automatic
    } else if let count = Int(argument), (1...Self.most).contains(count) {
      self = .fixed(count)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["1…\(most)", "auto"] }

  var plan: SeedPlan {
    switch self {
    case .fixed(let count): .fixed(count)
    case .automatic: .automatic
    }
  }

  static let help: ArgumentHelp = """
    Run this many seeds, the same for every policy; auto: from 5 to 100, until decided. Default: one seed, \
    without a verdict.
    """
}

/// The amount of simulation, and its time on one core.
struct SimulatedWork: Sendable {
  var operations = 0
  var entityAccesses = 0
  var coreSeconds = 0.0
  var simulations = 0
  /// The processor time, including generating the streams.
  var processorSeconds = 0.0

  static func += (work: inout SimulatedWork, other: SimulatedWork) {
    work.operations += other.operations
    work.entityAccesses += other.entityAccesses
    work.coreSeconds += other.coreSeconds
    work.simulations += other.simulations
    work.processorSeconds += other.processorSeconds
  }

  /// Returns the speed of the simulator on one core, including its ground truth.
  func throughputRows(seed: UInt64) -> [ResultRow] {
    guard coreSeconds > 0 else { return [] }
    return [
      (Metric.entityAccessesPerSecond, entityAccesses), (Metric.operationsPerSecond, operations),
    ].map { metric, count in
      ResultRow(
        scenario: "simulator", policy: "", seed: seed, metric: metric,
        value: .real((Double(count) / coreSeconds).rounded()))
    }
  }
}
