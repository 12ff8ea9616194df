import CacheModel
import CommandLineInterface
import RealTime
import ResultModel
import Workloads

/// The targets of measurements for every machine, independent of the scenario.
enum MachineTargets {
  /// The targets of ``CoreCosts``.
  static var costs: [Target] {
    [
      atMost(15e6, .cacheTotalBytes, in: "memory", of: [filled]),
      atMost(0.1, .weightErrorShare, in: "memory", of: [filled]),
      atMost(predictionError, .predictionErrorShare, in: "memory", of: [filled]),
      atMost(0, .bytesAfterClose, in: "memory", of: [filled]),
      // The cache's own share, back to back and open loop.
      atMost(2e3, .eventCost, .p50, class: "single/hot", in: "event-cost"),
      atMost(10e3, .eventCost, .p999, class: "single/hot", in: "event-cost"),
      atMost(2e3, .eventCost, .p50, class: "single", in: "event-cost"),
      atMost(10e3, .eventCost, .p999, class: "single", in: "event-cost"),
      atMost(1.5, .updateCostRatio, class: "queries", in: "update-cost"),
      atMost(3, .updateCostRatio, class: "entities", in: "update-cost"),
      atMost(1.5, .updateCostRatio, class: "observers", in: "update-cost"),
      atMost(
        1.5, .persistenceCostRatio, class: "steady", in: "update-cost", of: [CoreCosts.policy]),
      atMost(
        1.5, .persistenceCostRatio, class: "stalling", in: "update-cost", of: [CoreCosts.policy]),
      atMost(50, .insertionStallRatio, class: "unlisted", in: "update-cost"),
      atMost(50, .insertionStallRatio, class: "listed", in: "update-cost"),
    ]
  }

  /// The eviction order of the cache that `memory` fills.
  private static let filled = "lru"

  /// The maximum error of the memory model, relative to the allocator's figure.
  private static let predictionError = 0.1

  /// Returns the targets of the predictions among the rows, for each policy with a non-empty cache.
  static func predictions(in rows: [ResultRow]) -> [Target] {
    let predictions = rows.filter {
      $0.metric == .predictionErrorShare && ($0.value != nil || $0.sampleCount != 0)
    }
    var scenarios: [(scenario: String, class: ResultClass)] = []
    for row in predictions where !scenarios.contains(where: { $0 == (row.scenario, row.class) }) {
      scenarios.append((row.scenario, row.class))
    }
    return scenarios.map { scenario, name in
      Target(
        scenario: scenario, metric: .predictionErrorShare, class: name, comparison: .atMost,
        limit: predictionError,
        policies: predictions.filter { $0.scenario == scenario && $0.class == name }.map(\.policy))
    }
  }

  /// Returns the targets of the path from a device to the screen.
  ///
  /// p99.9 within the limit means that 99.9% of the changes were. Targets are for single events.
  static func pipeline(_ plan: PipelinePlan) -> [Target] {
    guard plan.devices.filesPerMutation == 1 else { return [] }
    // A change just after a frame waits for the whole next one.
    let frame = Double(plan.frames(from: .zero).period)
    func target(
      _ limit: Double, _ metric: Metric, _ statistic: Statistic, unavoidable: Double = 0
    ) -> Target {
      atMost(
        limit, metric, statistic, class: plan.className, unavoidable: unavoidable,
        in: PipelinePlan.scenario, of: [plan.policy])
    }
    return [
      target(1e6, .updateToNotify, .p99),
      target(20e6, .serverToUI, .p99, unavoidable: frame),
      target(20e6, .serverToUI, .p999, unavoidable: frame),
    ]
  }

  /// Returns the targets of the actual caches of a scenario's policies.
  ///
  /// The memory limits are those of the design document, for 10,000 entities and 100 queries.
  static func policies(_ policies: [String], scenario: String) -> [Target] {
    func target(
      _ limit: Double, _ metric: Metric, _ statistic: Statistic = .value,
      class name: ResultClass = .total, unavoidable: Double = 0
    ) -> Target {
      atMost(
        limit, metric, statistic, class: name, unavoidable: unavoidable, in: scenario, of: policies)
    }
    let frame = Double(FrameClock.periodNanoseconds)
    return [
      target(1e6, .updateToNotify, .p99, class: "single"),
      target(1e6, .updateToNotify, .p999, class: "single"),
      target(10e3, .eventCost, .p50, class: "single"),
      target(20e6, .serverToUI, .p99, class: "single", unavoidable: frame),
      target(frame, .notifyToUI, .p50, class: "single"),
      target(15e6, .cacheTotalBytes),
      target(10e6, .storeBytes),
      target(2e6, .queryIndexBytes),
      target(0.02, .countErrorShare),
    ]
  }

  private static func atMost(
    _ limit: Double, _ metric: Metric, _ statistic: Statistic = .value,
    class name: ResultClass = .total, unavoidable: Double = 0, in scenario: String,
    of policies: [String] = []
  ) -> Target {
    Target(
      scenario: scenario, metric: metric, statistic: statistic, class: name, comparison: .atMost,
      limit: limit, unavoidable: unavoidable, policies: policies)
  }
}
