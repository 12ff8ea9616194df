import CacheModel
import Measurement
import ResultModel
import SyncStack
import Workloads

/// What is asked of every machine, whatever the scenario: the targets of the measurements.
enum MachineTargets {
  /// What is asked of ``CoreCosts``.
  static var costs: [Target] {
    [
      Target(
        scenario: "memory", metric: .cacheTotalBytes, comparison: .atMost, limit: 15e6,
        policies: [filled]),
      Target(
        scenario: "memory", metric: .weightErrorShare, comparison: .atMost, limit: 0.1,
        policies: [filled]),
      Target(
        scenario: "memory", metric: .predictionErrorShare, comparison: .atMost,
        limit: predictionError, policies: [filled]),
      Target(
        scenario: "memory", metric: .bytesAfterClose, comparison: .atMost, limit: 0,
        policies: [filled]),
      eventCost(.p50, limit: 2e3, class: "single/hot"),
      eventCost(.p999, limit: 10e3, class: "single/hot"),
      eventCost(.p50, limit: 2e3, class: "single"),
      eventCost(.p999, limit: 10e3, class: "single"),
      updateCost(beside: "queries", limit: 1.5),
      updateCost(beside: "entities", limit: 3),
      updateCost(beside: "observers", limit: 1.5),
      persistenceCost(disk: "steady"),
      persistenceCost(disk: "stalling"),
      insertionStall(of: "unlisted"),
      insertionStall(of: "listed"),
    ]
  }

  /// The order of the cache that `memory` fills.
  private static let filled = "lru"

  /// How far the model of memory may be from what the allocator counts, as a share of it.
  private static let predictionError = 0.1

  /// What is asked of the predictions among the rows, for each policy whose cache kept anything.
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

  /// What is asked of the path from a device to the screen.
  ///
  /// That p99.9 is within the limit says that 99.9 % of the changes were. Targets are those of single
  /// events.
  static func pipeline(_ plan: PipelinePlan) -> [Target] {
    guard plan.devices.filesPerMutation == 1 else { return [] }
    func target(
      _ metric: Metric, _ statistic: Statistic, limit: Double, unavoidable: Double = 0
    ) -> Target {
      Target(
        scenario: PipelinePlan.scenario, metric: metric, statistic: statistic,
        class: plan.className, comparison: .atMost, limit: limit,
        unavoidable: unavoidable, policies: [plan.policy])
    }
    // A change that comes just after a frame waits for all of the next.
    let frame = Double(plan.frames(from: .zero).period)
    return [
      target(.updateToNotify, .p99, limit: 1e6),
      target(.serverToUI, .p99, limit: 20e6, unavoidable: frame),
      target(.serverToUI, .p999, limit: 20e6, unavoidable: frame),
    ]
  }

  /// What is asked of the real caches of a scenario's policies.
  ///
  /// The limits of memory are the design document's, for 10,000 entities and 100 queries.
  static func policies(_ policies: [String], scenario: String) -> [Target] {
    func target(
      _ metric: Metric, _ statistic: Statistic = .value, class name: ResultClass = .total,
      limit: Double, unavoidable: Double = 0
    ) -> Target {
      Target(
        scenario: scenario, metric: metric, statistic: statistic, class: name,
        comparison: .atMost, limit: limit, unavoidable: unavoidable, policies: policies)
    }
    let frame = Double(FrameClock.periodNanoseconds)
    return [
      target(.updateToNotify, .p99, class: "single", limit: 1e6),
      target(.updateToNotify, .p999, class: "single", limit: 1e6),
      target(.eventCost, .p50, class: "single", limit: 10e3),
      target(.serverToUI, .p99, class: "single", limit: 20e6, unavoidable: frame),
      target(.notifyToUI, .p50, class: "single", limit: frame),
      target(.cacheTotalBytes, limit: 15e6),
      target(.storeBytes, limit: 10e6),
      target(.queryIndexBytes, limit: 2e6),
      target(.countErrorShare, limit: 0.02),
    ]
  }

  /// Of the cache's own share, back to back and open loop.
  private static func eventCost(
    _ statistic: Statistic, limit: Double, class name: ResultClass
  ) -> Target {
    Target(
      scenario: "event-cost", metric: .eventCost, statistic: statistic, class: name,
      comparison: .atMost, limit: limit, policies: [])
  }

  private static func persistenceCost(disk: String) -> Target {
    Target(
      scenario: "update-cost", metric: .persistenceCostRatio, class: ResultClass(disk),
      comparison: .atMost, limit: 1.5, policies: [CoreCosts.policy])
  }

  private static func insertionStall(of entities: String) -> Target {
    Target(
      scenario: "update-cost", metric: .insertionStallRatio, class: ResultClass(entities),
      comparison: .atMost, limit: 50, policies: [])
  }

  private static func updateCost(beside company: String, limit: Double) -> Target {
    Target(
      scenario: "update-cost", metric: .updateCostRatio, class: ResultClass(company),
      comparison: .atMost,
      limit: limit, policies: [])
  }
}

extension ScenarioFile {
  /// The scenario's targets for the policies that ran.
  func targets(for contestants: [Contestant]) -> [Target] {
    let ran = contestants.map(\.name)
    return scenario.targets.compactMap { target in
      // What cannot be seen of a cache is asked of it only where it is named.
      let bound =
        target.policyNames.isEmpty
        ? contestants.filter {
          !PolicyEntry.bounds.contains($0.name) && target.metric.map($0.cache.isMeasured) ?? true
        }.map(\.name)
        : target.policyNames.filter { ran.contains($0) }
      return target.target(in: scenario.name, of: bound)
    }.filter { !$0.policies.isEmpty }
  }
}
