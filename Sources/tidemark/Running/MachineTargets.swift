import Analysis
import CacheModel
import Measurement
import Metrics
import Workloads

/// What is asked of every machine, whatever the scenario: the targets of the measurements.
enum MachineTargets {
  /// What is asked of ``CoreCosts``.
  static var costs: [Analysis.Target] {
    [
      Analysis.Target(
        scenario: "memory", metric: "cache_total_bytes", comparison: .atMost, limit: 15e6,
        policies: [filled]),
      Analysis.Target(
        scenario: "memory", metric: "weight_error_share", comparison: .atMost, limit: 0.1,
        policies: [filled]),
      Analysis.Target(
        scenario: "memory", metric: "prediction_error_share", comparison: .atMost,
        limit: predictionError, policies: [filled]),
      Analysis.Target(
        scenario: "memory", metric: "bytes_after_close", comparison: .atMost, limit: 0,
        policies: [filled]),
      eventCost("p50", limit: 2e3, class: "single/hot"),
      eventCost("p99.9", limit: 10e3, class: "single/hot"),
      eventCost("p50", limit: 2e3, class: "single"),
      eventCost("p99.9", limit: 10e3, class: "single"),
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
  static func predictions(in rows: [ResultRow]) -> [Analysis.Target] {
    let predictions = rows.filter {
      $0.metric == "prediction_error_share" && ($0.value != nil || $0.sampleCount != 0)
    }
    var scenarios: [(scenario: String, class: String)] = []
    for row in predictions where !scenarios.contains(where: { $0 == (row.scenario, row.class) }) {
      scenarios.append((row.scenario, row.class))
    }
    return scenarios.map { scenario, name in
      Analysis.Target(
        scenario: scenario, metric: "prediction_error_share", class: name, comparison: .atMost,
        limit: predictionError,
        policies: predictions.filter { $0.scenario == scenario && $0.class == name }.map(\.policy))
    }
  }

  /// What is asked of the path from a device to the screen.
  ///
  /// That p99.9 is within the limit says that 99.9 % of the changes were. Targets are those of single
  /// events, where nobody is killed, no observer blocks the cache, and no batches come before them.
  static func pipeline(_ plan: PipelinePlan) -> [Analysis.Target] {
    guard plan.fault == nil, plan.devices.filesPerMutation == 1,
      plan.stalledObserver != .callback, plan.indexer == nil
    else { return [] }
    func target(
      _ metric: String, _ statistic: String, limit: Double, unavoidable: Double = 0
    ) -> Analysis.Target {
      Analysis.Target(
        scenario: PipelinePlan.scenario, metric: metric, statistic: statistic,
        class: plan.className, comparison: .atMost, limit: limit,
        unavoidable: unavoidable, policies: [plan.policy])
    }
    // A change that comes just after a frame waits for all of the next.
    let frame = Double(plan.frames(from: .zero).period)
    return [
      target("update_to_notify", "p99", limit: 1e6),
      target("server_to_ui", "p99", limit: 20e6, unavoidable: frame),
      target("server_to_ui", "p99.9", limit: 20e6, unavoidable: frame),
    ]
  }

  /// What is asked of the real caches of a scenario's policies.
  ///
  /// The limits of memory are the design document's, for 10,000 entities and 100 queries.
  static func policies(_ policies: [String], scenario: String) -> [Analysis.Target] {
    func target(
      _ metric: String, _ statistic: String = "value", class name: String = "total",
      limit: Double, unavoidable: Double = 0
    ) -> Analysis.Target {
      Analysis.Target(
        scenario: scenario, metric: metric, statistic: statistic, class: name,
        comparison: .atMost, limit: limit, unavoidable: unavoidable, policies: policies)
    }
    let frame = Double(FrameClock.periodNanoseconds)
    return [
      target("update_to_notify", "p99", class: "single", limit: 1e6),
      target("update_to_notify", "p99.9", class: "single", limit: 1e6),
      target("event_cost", "p50", class: "single", limit: 10e3),
      target("server_to_ui", "p99", class: "single", limit: 20e6, unavoidable: frame),
      target("notify_to_ui", "p50", class: "single", limit: frame),
      target("cache_total_bytes", limit: 15e6),
      target("store_bytes", limit: 10e6),
      target("query_index_bytes", limit: 2e6),
      target("count_error_share", limit: 0.02),
    ]
  }

  /// Of the cache's own share, back to back and open loop.
  private static func eventCost(
    _ statistic: String, limit: Double, class name: String
  ) -> Analysis.Target {
    Analysis.Target(
      scenario: "event-cost", metric: "event_cost", statistic: statistic, class: name,
      comparison: .atMost, limit: limit, policies: [])
  }

  private static func persistenceCost(disk: String) -> Analysis.Target {
    Analysis.Target(
      scenario: "update-cost", metric: "persistence_cost_ratio", class: disk,
      comparison: .atMost, limit: 1.5, policies: [CoreCosts.policy])
  }

  private static func insertionStall(of entities: String) -> Analysis.Target {
    Analysis.Target(
      scenario: "update-cost", metric: "insertion_stall_ratio", class: entities,
      comparison: .atMost, limit: 50, policies: [])
  }

  private static func updateCost(beside company: String, limit: Double) -> Analysis.Target {
    Analysis.Target(
      scenario: "update-cost", metric: "update_cost_ratio", class: company, comparison: .atMost,
      limit: limit, policies: [])
  }
}

extension ScenarioFile {
  /// The scenario's targets for the policies that ran.
  func targets(for contestants: [Contestant]) -> [Analysis.Target] {
    let ran = contestants.map(\.name)
    return scenario.targets.map { target in
      let bound =
        target.policyNames.isEmpty
        ? ran.filter { !PolicyEntry.bounds.contains($0) }
        : target.policyNames.filter { ran.contains($0) }
      return Analysis.Target(
        scenario: scenario.name, metric: target.metric, statistic: target.statistic,
        class: target.metricClass,
        comparison: target.comparison == .atLeast ? .atLeast : .atMost, limit: target.limit,
        policies: bound)
    }.filter { !$0.policies.isEmpty }
  }
}
