import Analysis
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
}
