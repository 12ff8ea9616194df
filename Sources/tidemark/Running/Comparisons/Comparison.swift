import Analysis
import ArgumentParser
import CacheSimulation
import CommandLineInterface
import ResultModel
import Workloads

/// A question to simulations: which of some policies to ship for an input.
struct Comparison: Sendable {
  var input: SimulationInput
  var contenders: [Contender]
  var rule: Goal
  /// The same question by other figures, answered from the same runs, and from more of those that may
  /// still win by them.
  var otherRules: [(label: String, rule: Goal)] = []
  var plan: SeedPlan
  /// When to look by other figures.
  var planOfOtherRules: SeedPlan
  /// The number of the first seed; the others follow it.
  var firstSeed: UInt64
  /// Those that run more than one seed only if they are not far behind there; `nil`: nobody is probed.
  ///
  /// Everybody runs that seed first.
  var probed: Set<String>?
  /// Runs that were made already, by policy.
  var known: [String: PolicyRuns] = [:]
  /// After this many seeds rows are no longer collected; `nil`: they always are.
  var seedsWithRows: Int?
  /// Which rows are collected: a verdict needs none.
  var keepsRow: @Sendable (ResultRow) -> Bool = { _ in true }
  /// Whether it is left out whole where time runs out.
  var isOptional = false
  /// In how many parts of time the first seed is shown as well; `nil`: it is not.
  var timelineParts: Int?

  /// The policies that compete: bounds are references, and are run for the first look only.
  ///
  /// Caches that are given list membership are not ranked with caches that compute it.
  var ranked: [String] {
    let names = contenders.map(\.name).filter { !PolicyEntry.bounds.contains($0) }
    let own = names.filter { ListMembership(ofCache: $0) == .own }
    return own.isEmpty ? names : own
  }

  /// Everything that is looked up in a run's rows.
  var figures: [Figure] {
    ([rule] + otherRules.map(\.rule)).reduce(into: Goal.preferences) { figures, rule in
      for figure in rule.requiredFigures where !figures.contains(figure) { figures.append(figure) }
    }
  }
}

/// What came of a comparison.
struct ComparisonResult: Sendable {
  var comparison: Comparison
  /// `nil` if no policy competes.
  var verdict: ShipVerdict?
  /// What the other rules say, in their order.
  var otherVerdicts: [Robustness.Alternative] = []
  /// One row each, in the order of the contenders: of several seeds the mean.
  var means: [ResultRow] = []
  /// Of all that were to take part, in their order.
  var runs: [PolicyRuns] = []
  /// Why the winner has more fresh hits than the runner-up; `nil` if there are not both.
  var margin: ReadMargin?
  /// Of the first seed, in the order of the contenders; empty if not asked for.
  var timelines: [(policy: String, timeline: Timeline)] = []
  var work = SimulatedWork()
  /// Whose runs ended early, or cannot be relied on, and why; the rest is as if they had not been there.
  var failures: [ContenderFailure] = []
  /// What caches said of their names and versions, by the contender's name.
  var claims: [String: String] = [:]
  /// What the limits count that were exceeded, as in `queries`, by the contender's name.
  var exceededLimits: [String: String] = [:]

  /// Of one contender; `nil` if it failed or had no part.
  func runs(of contender: String) -> PolicyRuns? {
    guard comparison.contenders.contains(where: { $0.name == contender }) else { return nil }
    return runs.first { $0.sample.contender == contender }
  }

  /// The rows of every seed; empty if there was one.
  var eachSeed: [ResultRow] {
    runs.flatMap { $0.rows.seedCount > 1 ? $0.rows.eachSeed : [] }
  }
}

/// How many seeds a comparison runs: a number, or as many as it takes.
enum SeedCount: ExpressibleByArgument {
  case fixed(Int)
  case automatic

  /// More seeds than this add nothing.
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

  /// What `--seeds` means, for help.
  static let help: ArgumentHelp = """
    Run this many seeds, the same for every policy; auto: from 5 to 100, until decided. Default: one seed, \
    without a verdict.
    """
}

/// What simulations did, and how long one core took for it.
struct SimulatedWork: Sendable {
  var operations = 0
  var entityAccesses = 0
  var coreSeconds = 0.0
  var simulations = 0
  /// Time of the processor, that of drawing the streams included.
  var processorSeconds = 0.0

  static func += (work: inout SimulatedWork, other: SimulatedWork) {
    work.operations += other.operations
    work.entityAccesses += other.entityAccesses
    work.coreSeconds += other.coreSeconds
    work.simulations += other.simulations
    work.processorSeconds += other.processorSeconds
  }

  /// How fast the simulator itself was, on one core with its ground truth.
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
