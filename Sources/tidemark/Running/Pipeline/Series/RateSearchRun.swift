import Measurement
import ResultModel
import SyncStack

/// The search for the highest rate that meets the targets, on real runs.
struct RateSearchRun: Sendable {
  /// The run at any rate; its rate is where the search begins.
  var plan: PipelinePlan
  var isQuick: Bool
  let progress: Progress

  /// What each run takes at most, and at least: a pause of the machine must be able to matter.
  private var seconds: ClosedRange<Double> { isQuick ? 1.5...6 : 2...11 }

  /// Enough for p99.9 where the time allows it; at the lowest rate enough for p99.
  private var events: Double { isQuick ? 1_120 : 10_600 }
  private static let fewestEvents = 1_120.0

  /// How long after the last intended instant everything must have been drawn.
  private static let patience = Duration.seconds(3)

  struct Result: Sendable {
    var search: RateSearch
    var steps: [PipelineStep]
  }

  /// - Throws: as ``PipelineStep/run(_:patience:progress:)``.
  func run() async throws -> Result {
    var limits = RateSearch.Plan()
    limits.first = plan.devices.rate
    limits.lowest = Self.fewestEvents / seconds.upperBound
    if isQuick {
      limits.largestRuns = 8
      limits.repetitions = 1
    }
    var search = RateSearch(plan: limits)
    var steps: [PipelineStep] = []
    while let rate = search.next {
      let tries = steps.count { $0.plan.devices.rate == rate }
      var plan = plan
      plan.devices.rate = rate
      plan.setLength(
        seconds: min(max(events / rate, seconds.lowerBound), seconds.upperBound))
      plan.label = "rate-\(Int(rate))" + (tries > 0 ? "-again-\(tries)" : "")
      let step = try await PipelineStep.run(
        plan, patience: Self.patience, progress: progress.of("run \(steps.count + 1)"))
      search.tell(step.verdict)
      steps.append(step)
    }
    return Result(search: search, steps: steps)
  }
}
