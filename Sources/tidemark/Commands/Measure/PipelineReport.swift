import Analysis
import Measurement
import Reporting
import ResultModel
import SyncStack

/// Runs over sockets, and what is written about them.
struct PipelineReport {
  /// What was asked of every command that measures.
  struct Order {
    var transport: PipelinePlan.Transport
    var policy: String
    var rate: Double?
    var seed: UInt64
    var isQuick: Bool
  }

  var order: Order
  var options: SocketOptions
  var result: ResultOutput
  private let progress = Progress("measure")

  init(order: Order, options: SocketOptions, result: ResultOutput) {
    self.order = order
    self.options = options
    self.result = result
  }

  /// Does what was asked; a signal ends it, and everything that it started.
  func make() async throws {
    if let vary = options.vary { return try await compare(vary) }
    let plan = try options.plan(order)
    if options.highestRate { try await searchRate(plan) } else { try await measure(plan) }
  }

  private func measure(_ plan: PipelinePlan) async throws {
    let rows = try await TerminationSignals.cancelling { [progress] in
      try await PipelineMeasurement.result(of: plan, progress: progress).rows
    }
    progress.end()
    let judgements = TargetJudge(rows: rows).judge(MachineTargets.pipeline(plan))
    try result.write(rows) {
      MeasureReport.text(rows, judgements: judgements, style: Console.style)
    }
  }

  /// One run for each value.
  private func compare(_ vary: Variation) async throws {
    let plans = try vary.values.map { value in
      var (options, order) = (options, order)
      vary.apply(value, to: &options, rate: &order.rate)
      var plan = try options.plan(order)
      plan.label = vary.label(of: value)
      return plan
    }
    let steps = try await TerminationSignals.cancelling { [progress] in
      var steps: [PipelineStep] = []
      for (index, plan) in plans.enumerated() {
        steps.append(
          try await PipelineStep.run(
            plan, progress: progress.of("run \(index + 1) of \(plans.count)")))
      }
      return steps
    }
    progress.end()
    let rows = steps.flatMap(\.rows)
    try result.write(rows) {
      SeriesTable.text(
        title: "over \(vary.axis.rawValue), \(order.transport.rawValue)",
        axis: vary.axis == .rate ? "per second" : vary.axis.rawValue,
        lines: zip(vary.values, steps).map { value, step in
          step.line(value: HumanNumber.count(Double(value)))
        },
        rows: rows, style: Console.style)
    }
  }

  private func searchRate(_ plan: PipelinePlan) async throws {
    let found = try await TerminationSignals.cancelling { [order, progress] in
      try await RateSearchRun(plan: plan, isQuick: order.isQuick, progress: progress).run()
    }
    progress.end()
    let rows = found.rows
    try result.write(rows) {
      SeriesTable.text(
        title: "the highest rate that meets the targets, \(plan.className)", axis: "per second",
        lines: found.steps.map { $0.line(value: HumanNumber.count($0.plan.devices.rate)) },
        rows: rows, conclusion: found.search.finding.sentence, style: Console.style)
    }
    if case .inconclusive = found.search.finding {
      throw CommandFailure(.data, "measure: \(found.search.finding.sentence)")
    }
  }
}

extension PipelineStep {
  func line(value: String) -> SeriesTable.Line {
    let (word, tone): (String, Tone) =
      switch verdict {
      case _ where judgements.isEmpty && reason == nil: ("not judged", .plain)
      case .met: ("met", .good)
      case .missed: ("missed", .bad)
      case .inconclusive: ("inconclusive", .doubtful)
      }
    return SeriesTable.Line(
      value: value, class: plan.className, verdict: word + (reason.map { ": \($0)" } ?? ""),
      tone: tone)
  }
}

extension RateSearchRun.Result {
  /// Those of every run, and what was found.
  var rows: [ResultRow] {
    guard var plan = steps.first?.plan else { return [] }
    // Of all rates.
    plan.label = nil
    let name = plan.className
    let found = [
      (Metric.highestMetEventsPerSecond, search.highestMet),
      (Metric.lowestMissedEventsPerSecond, search.lowestMissed),
    ]
    return steps.flatMap(\.rows)
      + found.map { metric, rate in
        ResultRow(
          scenario: PipelinePlan.scenario, policy: plan.policy, seed: plan.devices.seed,
          class: name, metric: metric, value: rate.map { .real($0) },
          sampleCount: search.trials.count)
      }
  }
}

extension RateSearch.Finding {
  /// What was found, for people.
  var sentence: String {
    func text(_ rate: Double) -> String { HumanNumber.count(rate) }
    return switch self {
    case .between(let met, let missed):
      "every target is met up to \(text(met)) events per second, and one is missed at "
        + "\(text(missed))"
    case .undecidedAbove(let met, let undecided):
      "every target is met up to \(text(met)) events per second; at \(text(undecided)) "
        + "this machine cannot decide"
    case .metUpToTheEnd(let rate):
      "every target is met up to \(text(rate)) events per second, where the search ends"
    case .neverMet(let missed):
      "no rate met every target; the lowest missed is \(text(missed)) events per second"
    case .inconclusive(let lowest):
      "no rate was met, and none down to \(text(lowest)) events per second could be decided; "
        + "use a quieter machine, or --real-time"
    case .nothing: "no rate was tried"
    }
  }
}
