import Analysis
import CacheSimulation
import ResultModel

/// What one policy did on one seed.
struct PolicyRun: Sendable {
  var rows: [ResultRow]
  var outcomes: ReadOutcomes
  var timeline: Timeline?
  var work: SimulatedWork
  /// What the cache said of its name and version.
  var claim: String?
  /// What the limit counts that it exceeded.
  var exceededLimit: String?
  /// Why its figures cannot be relied on.
  var doubt: ContenderFailure?
}

/// What is kept of all runs of one policy, over consecutive seeds from the first.
///
/// A comparison may begin with those that another one made of the same input.
struct PolicyRuns: Sendable {
  private(set) var rows = RowsOverSeeds()
  private(set) var sample: ObservedSample
  private(set) var outcomes: [ReadOutcomes] = []
  /// Of the first seed, where it was asked for.
  private(set) var timeline: Timeline?
  var work = SimulatedWork()
  private(set) var claim: String?
  /// What the limits count that it exceeded.
  private(set) var exceededLimits: [String] = []

  init(of contender: String) {
    sample = ObservedSample(contender: contender, seedCount: 0, columns: [])
  }

  /// The seeds behind it.
  var seedCount: Int { sample.seedCount }

  /// Adds the seeds that follow; rows of those that a comparison keeps.
  mutating func append(_ runs: [PolicyRun], of comparison: Comparison) {
    let kept = comparison.seedsWithRows ?? .max
    for run in runs {
      if rows.seedCount < kept { rows.append(run.rows.filter(comparison.keepsRow)) }
      sample.append(
        ObservedSample(
          contender: sample.contender, runs: [run.rows], figures: comparison.figures))
      outcomes.append(run.outcomes)
      timeline = timeline ?? run.timeline
      work += run.work
      claim = claim ?? run.claim
      if let limit = run.exceededLimit, !exceededLimits.contains(limit) {
        exceededLimits.append(limit)
      }
    }
  }
}
