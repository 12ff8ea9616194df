import Analysis
import CacheSimulation
import ResultModel

struct PolicyRun: Sendable {
  var rows: [ResultRow]
  var outcomes: ReadOutcomes
  var timeline: Timeline?
  var work: SimulatedWork
  /// The name and version reported by the cache.
  var claim: String?
  var exceededLimit: String?
  /// Why its figures are not reliable.
  var doubt: ContenderFailure?
}

/// The results of one policy over consecutive seeds from the first.
///
/// A comparison may reuse those of another one with the same input.
struct PolicyRuns: Sendable {
  private(set) var rows = RowsOverSeeds()
  private(set) var sample: ObservedSample
  private(set) var outcomes: [ReadOutcomes] = []
  /// The counts over time of the first seed, if requested.
  private(set) var timeline: Timeline?
  var work = SimulatedWork()
  private(set) var claim: String?
  private(set) var exceededLimits: [String] = []

  init(of contender: String) {
    sample = ObservedSample(contender: contender, seedCount: 0, columns: [])
  }

  var seedCount: Int { sample.seedCount }

  /// Adds the seeds that follow, with the rows that the comparison keeps.
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
