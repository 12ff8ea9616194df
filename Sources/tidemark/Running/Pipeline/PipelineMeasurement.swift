import Analysis
import Measurement
import Metrics

/// A pipeline run with processes, and what is asked of it.
struct PipelineMeasurement {
  var rows: [ResultRow]
  var targets: [Analysis.Target]

  /// A run; who calls it sees to signals.
  static func result(
    of plan: PipelinePlan, patience: Duration? = nil, progress: Progress
  ) async throws -> PipelineResult {
    var run = PipelineRun(plan: plan, peers: try PipelineProcesses(plan: plan)) {
      progress.report($0)
    }
    if let patience { run.patience = patience }
    return try await run.run()
  }

  /// The part of a report: a run over a Unix socket.
  ///
  /// - Returns: `nil`, with a warning, where this machine cannot carry it: the rest of the report is
  ///   worth having.
  /// - Throws: ``PipelineError/divergent(directories:first:)``, which no machine excuses.
  static func forBench(
    policy: String, seed: UInt64, isQuick: Bool, progress: Progress
  ) async throws -> PipelineMeasurement? {
    guard
      let plan = PipelinePlan.standard(
        transport: .unix, preset: policy, devices: 2, rate: 1_000, seed: seed, isQuick: isQuick)
    else { return nil }
    do {
      let rows = try await TerminationSignals.cancelling {
        try await result(of: plan, progress: progress).rows
      }
      return PipelineMeasurement(rows: rows, targets: MachineTargets.pipeline(plan))
    } catch let error as PipelineError {
      if case .divergent = error { throw error }
      progress.end()
      Console.note("warning: the way from a device to the screen is not measured: \(error)")
      return nil
    }
  }
}
