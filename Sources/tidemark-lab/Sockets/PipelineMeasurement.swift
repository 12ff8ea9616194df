import Analysis
import CommandLineInterface
import RealTime
import ResultModel

/// A pipeline run with processes, and what is asked of it.
struct PipelineMeasurement {
  var rows: [ResultRow]
  var targets: [Target]

  /// A run; who calls it sees to signals.
  static func result(of plan: PipelinePlan, progress: ProgressLine) async throws -> PipelineResult {
    try await PipelineRun(plan: plan, peers: PipelineProcesses(plan: plan)) {
      progress.report($0)
    }.run()
  }

  /// The part of a report: a run over a Unix socket.
  ///
  /// Without rows, and with a warning, where this machine cannot carry it: the rest of the report is
  /// worth having, and the targets then say that they have no data.
  ///
  /// - Returns: `nil` where no preset has that name.
  /// - Throws: what no machine excuses, as ``PipelineError/divergent(directories:first:)``.
  static func forBench(
    policy: String, seed: UInt64, isQuick: Bool, progress: ProgressLine
  ) async throws -> PipelineMeasurement? {
    guard
      let plan = PipelinePlan.standard(
        transport: .unix, preset: policy, devices: 2, rate: 1_000, seed: seed, isQuick: isQuick)
    else { return nil }
    var rows: [ResultRow] = []
    do {
      rows = try await TerminationSignals.cancelling {
        try await result(of: plan, progress: progress).rows
      }
    } catch let error as PipelineError {
      switch error {
      case .incomplete, .neverCame, .disconnected: break
      default: throw error
      }
      progress.end()
      Console.note("warning: the path from a device to the screen is not measured: \(error)")
    }
    return PipelineMeasurement(rows: rows, targets: MachineTargets.pipeline(plan))
  }
}
