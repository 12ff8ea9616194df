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
  /// The same question by other figures, answered from the runs of the first look.
  var otherRules: [(label: String, rule: Goal)] = []
  var plan: SeedPlan
  /// The number of the first seed; the others follow it.
  var firstSeed: UInt64
  /// After so many seeds rows are no longer collected; `nil`: after none.
  var seedsWithRows: Int?
  /// In how many parts of time the first seed is shown as well; `nil`: it is not.
  var timelineParts: Int?

  /// Those that compete: bounds show what is possible, and are run for the first look only.
  ///
  /// Who is told which lists a change enters competes with none that finds out by itself.
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
  /// `nil` where no policy competes.
  var verdict: ShipVerdict?
  /// What the other rules say, in their order.
  var otherVerdicts: [Robustness.Alternative] = []
  /// One row each, in the order of the contenders: of several seeds the mean.
  var means: [ResultRow] = []
  /// The rows of every seed; empty where there was one.
  var eachSeed: [ResultRow] = []
  /// Why the winner has more fresh reads than the runner-up; `nil` where there are not both.
  var margin: ReadMargin?
  /// Of the first seed, in the order of the contenders; empty where not asked for.
  var timelines: [(policy: String, timeline: Timeline)] = []
  var work = SimulatedWork()
  /// Whose runs ended early, or cannot be relied on, and why; the rest is as if they had not been there.
  var failures: [ContenderFailure] = []
  /// What caches said of their names and versions, by the contender's name.
  var claims: [String: String] = [:]
  /// What the limits count that were exceeded, as in `queries`, by the contender's name.
  var exceededLimits: [String: String] = [:]
}

/// How many seeds a comparison runs: a number, or as many as it takes.
enum SeedCount: ExpressibleByArgument {
  case fixed(Int)
  case automatic

  /// More seeds than this tell nothing that fewer do not.
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
    Run so many seeds, each policy on the same ones, and compare pair by pair; auto: 10, 20, 40 or 100, \
    until it is decided. Default: one seed, which is no verdict.
    """
}

/// What simulations did, and how long one core took for it.
struct SimulatedWork: Sendable {
  var operations = 0
  var entityAccesses = 0
  var coreSeconds = 0.0

  static func += (work: inout SimulatedWork, other: SimulatedWork) {
    work.operations += other.operations
    work.entityAccesses += other.entityAccesses
    work.coreSeconds += other.coreSeconds
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
