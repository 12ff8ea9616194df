import Analysis
import CommandLineInterface
import RealTime
import ResultModel

/// The peers in a report: fewer events than `peers` has, of its first workload.
///
/// Enough for medians and their intervals, which takes six rounds; too few samples for p99.9.
struct PeerMeasurement {
  var rows: [ResultRow]
  var targets: [Target]

  /// - Returns: `nil`, with a warning, where a peer has no figures: the rest of the report is worth
  ///   having.
  static func forBench(
    seed: UInt64, isQuick: Bool, progress: ProgressLine
  ) async throws -> PeerMeasurement? {
    var comparison = PeerComparison(
      peers: Peers.all, workloads: Array(PeerWorkload.all.prefix(1)), seed: seed)
    comparison.rounds = 6
    comparison.events = isQuick ? 60 : 200
    do {
      let rows = try await TerminationSignals.cancelling { [comparison] in
        try await comparison.run(progress: progress)
      }
      return PeerMeasurement(rows: rows, targets: comparison.targets)
    } catch let failure as CommandFailure {
      progress.end()
      Console.note("warning: the peers are not measured: \(failure.message)")
      return nil
    }
  }
}
