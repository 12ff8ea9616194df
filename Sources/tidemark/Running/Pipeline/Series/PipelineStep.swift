import Analysis
import Measurement
import ResultModel

/// One run of a series, and what it came to.
struct PipelineStep: Sendable {
  /// Tells it from the others, as in 2,000 events per second.
  var plan: PipelinePlan
  var rows: [ResultRow]
  var judgements: [TargetJudgement]
  var verdict: RateSearch.Verdict
  /// Why, where that is not to be seen from the figures.
  var reason: String?

  /// Runs a plan and judges it.
  ///
  /// A run to whose end not everything had arrived is a step too: missed where the control had seen
  /// everything, inconclusive where it had not either. So is one in which a client lost its connection:
  /// missed where it was not the control.
  ///
  /// - Throws: as `PipelineRun.run`, but for that.
  static func run(
    _ plan: PipelinePlan, patience: Duration? = nil, progress: Progress
  ) async throws -> PipelineStep {
    do {
      let result = try await PipelineMeasurement.result(
        of: plan, patience: patience, progress: progress)
      return PipelineStep(result)
    } catch let error as PipelineError {
      if case .disconnected(let isControl) = error {
        return PipelineStep(
          plan: plan, rows: [], judgements: [], verdict: isControl ? .inconclusive : .missed,
          reason: "the \(isControl ? "control" : "client") lost its connection")
      }
      guard case .incomplete(_, let sent, let reached, let control) = error else { throw error }
      let isControlDone = control >= sent
      return PipelineStep(
        plan: plan, rows: [], judgements: [], verdict: isControlDone ? .missed : .inconclusive,
        reason: isControlDone
          ? "the cache stood at \(reached) of \(sent) events"
          : "of \(sent) events the control had seen \(control), the cache \(reached)")
    }
  }

  private init(_ result: PipelineResult) {
    let rows = result.rows
    let judgements = TargetJudge(rows: rows).judge(
      MachineTargets.pipeline(result.plan).filter { target in
        // With too few samples for it p99.9 says nothing, for or against.
        target.statistic != .p999
          || result.stamps.count >= Statistic.p999.fewestSamples
      })
    self.init(
      plan: result.plan, rows: rows, judgements: judgements, verdict: .inconclusive, reason: nil)
    guard !judgements.isEmpty else { return }
    switch judgements.together {
    case .met: verdict = .met
    case .missed: verdict = .missed
    case .inconclusive(let cause), .missing(let cause): reason = cause
    }
  }

  private init(
    plan: PipelinePlan, rows: [ResultRow], judgements: [TargetJudgement],
    verdict: RateSearch.Verdict, reason: String?
  ) {
    self.plan = plan
    self.rows = rows
    self.judgements = judgements
    self.verdict = verdict
    self.reason = reason
  }
}
