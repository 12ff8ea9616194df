import Analysis
import Measurement
import Testing

@testable import tidemark

@Suite("What is asked of every machine")
struct MachineTargetsTests {
  private struct Asked: Hashable {
    var metric: String
    var statistic = "value"
    var `class` = "total"
    var limit: Double
  }

  private static func asked(_ targets: [Analysis.Target]) -> [Asked] {
    targets.map { target in
      #expect(target.comparison == .atMost, "\(target.metric)")
      return Asked(
        metric: target.metric, statistic: target.statistic, class: target.class,
        limit: target.limit)
    }
  }

  @Test("The limits of a policy's cache are those that were promised")
  func policies() {
    let millisecond = 1e6
    #expect(
      Self.asked(MachineTargets.policies(["lru"], scenario: "small")) == [
        Asked(metric: "update_to_notify", statistic: "p99", class: "single", limit: millisecond),
        Asked(metric: "update_to_notify", statistic: "p99.9", class: "single", limit: millisecond),
        Asked(metric: "event_cost", statistic: "p50", class: "single", limit: 10_000),
        Asked(metric: "server_to_ui", statistic: "p99", class: "single", limit: 20 * millisecond),
        Asked(metric: "notify_to_ui", statistic: "p50", class: "single", limit: 16_666_667),
        Asked(metric: "cache_total_bytes", limit: 15_000_000),
        Asked(metric: "store_bytes", limit: 10_000_000),
        Asked(metric: "query_index_bytes", limit: 2_000_000),
        Asked(metric: "count_error_share", limit: 0.02),
      ])
  }

  @Test("So are those of what a cache costs as it grows")
  func costs() {
    let microsecond = 1e3
    #expect(
      Self.asked(MachineTargets.costs) == [
        Asked(metric: "cache_total_bytes", limit: 15_000_000),
        Asked(metric: "weight_error_share", limit: 0.1),
        Asked(metric: "prediction_error_share", limit: 0.1),
        Asked(metric: "bytes_after_close", limit: 0),
        Asked(metric: "event_cost", statistic: "p50", class: "single/hot", limit: 2 * microsecond),
        Asked(
          metric: "event_cost", statistic: "p99.9", class: "single/hot", limit: 10 * microsecond),
        Asked(metric: "event_cost", statistic: "p50", class: "single", limit: 2 * microsecond),
        Asked(metric: "event_cost", statistic: "p99.9", class: "single", limit: 10 * microsecond),
        Asked(metric: "update_cost_ratio", class: "queries", limit: 1.5),
        Asked(metric: "update_cost_ratio", class: "entities", limit: 3),
        Asked(metric: "update_cost_ratio", class: "observers", limit: 1.5),
        Asked(metric: "persistence_cost_ratio", class: "steady", limit: 1.5),
        Asked(metric: "persistence_cost_ratio", class: "stalling", limit: 1.5),
        Asked(metric: "insertion_stall_ratio", class: "unlisted", limit: 50),
        Asked(metric: "insertion_stall_ratio", class: "listed", limit: 50),
      ])
  }

  @Test("So are those of the path from a device to the screen")
  func pipeline() throws {
    let plan = try #require(
      PipelinePlan.standard(transport: .unix, preset: "lru", devices: 1, rate: 100, seed: 1))
    #expect(
      Self.asked(MachineTargets.pipeline(plan)) == [
        Asked(metric: "update_to_notify", statistic: "p99", class: plan.className, limit: 1e6),
        Asked(metric: "server_to_ui", statistic: "p99", class: plan.className, limit: 20e6),
        Asked(metric: "server_to_ui", statistic: "p99.9", class: plan.className, limit: 20e6),
      ])
  }
}
