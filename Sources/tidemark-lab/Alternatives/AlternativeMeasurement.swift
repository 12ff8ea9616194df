import Analysis
import CommandLineInterface
import RealTime
import ResultModel

/// The alternatives in a report: fewer events than `alternatives` has, of its first workload.
///
/// Enough for medians and their intervals, which takes six rounds; too few samples for p99.9.
struct AlternativeMeasurement {
  var rows: [ResultRow]
  var targets: [Target]

  /// - Returns: `nil`, with a warning, where an alternative has no figures: the rest of the report is worth
  ///   having.
  static func forBench(
    seed: UInt64, isQuick: Bool, progress: ProgressLine
  ) async throws -> AlternativeMeasurement? {
    var comparison = AlternativeComparison(
      alternatives: Alternatives.all, workloads: Array(AlternativeWorkload.all.prefix(1)),
      seed: seed)
    comparison.rounds = 6
    comparison.events = isQuick ? 60 : 200
    do {
      let rows = try await TerminationSignals.cancelling { [comparison] in
        try await comparison.run(progress: progress)
      }
      return AlternativeMeasurement(rows: rows, targets: comparison.targets)
    } catch let failure as CommandFailure {
      progress.end()
      Console.note("warning: the alternatives are not measured: \(failure.message)")
      return nil
    }
  }
}
