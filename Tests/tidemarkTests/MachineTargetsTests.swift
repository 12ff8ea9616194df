import Analysis
import RealTime
import ResultModel
import Testing

@testable import tidemark_lab

@Suite("Targets of every machine")
struct MachineTargetsTests {
  private struct Asked: Hashable {
    var metric: Metric
    var statistic = Statistic.value
    var `class` = ResultClass.total
    var limit: Double
  }

  private static func asked(_ targets: [Target]) -> [Asked] {
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
        Asked(metric: .updateToNotify, statistic: .p99, class: "single", limit: millisecond),
        Asked(metric: .updateToNotify, statistic: .p999, class: "single", limit: millisecond),
        Asked(metric: .eventCost, statistic: .p50, class: "single", limit: 10_000),
        Asked(metric: .serverToUI, statistic: .p99, class: "single", limit: 20 * millisecond),
        Asked(metric: .notifyToUI, statistic: .p50, class: "single", limit: 16_666_667),
        Asked(metric: .cacheTotalBytes, limit: 15_000_000),
        Asked(metric: .storeBytes, limit: 10_000_000),
        Asked(metric: .queryIndexBytes, limit: 2_000_000),
        Asked(metric: .countErrorShare, limit: 0.02),
      ])
  }

  @Test("Targets of costs as the cache grows")
  func costs() {
    let microsecond = 1e3
    #expect(
      Self.asked(MachineTargets.costs) == [
        Asked(metric: .cacheTotalBytes, limit: 15_000_000),
        Asked(metric: .weightErrorShare, limit: 0.1),
        Asked(metric: .predictionErrorShare, limit: 0.1),
        Asked(metric: .bytesAfterClose, limit: 0),
        Asked(metric: .eventCost, statistic: .p50, class: "single/hot", limit: 2 * microsecond),
        Asked(
          metric: .eventCost, statistic: .p999, class: "single/hot", limit: 10 * microsecond),
        Asked(metric: .eventCost, statistic: .p50, class: "single", limit: 2 * microsecond),
        Asked(metric: .eventCost, statistic: .p999, class: "single", limit: 10 * microsecond),
        Asked(metric: .updateCostRatio, class: "queries", limit: 1.5),
        Asked(metric: .updateCostRatio, class: "entities", limit: 3),
        Asked(metric: .updateCostRatio, class: "observers", limit: 1.5),
        Asked(metric: .persistenceCostRatio, class: "steady", limit: 1.5),
        Asked(metric: .persistenceCostRatio, class: "stalling", limit: 1.5),
        Asked(metric: .insertionStallRatio, class: "unlisted", limit: 50),
        Asked(metric: .insertionStallRatio, class: "listed", limit: 50),
      ])
  }

  @Test("A prediction is asked of each part of a cache, and missed beyond a tenth")
  func predictions() {
    func row(_ part: ResultClass, error: Double) -> ResultRow {
      ResultRow(
        scenario: "200 entries", policy: "two-tier", seed: 1, class: part,
        metric: .predictionErrorShare, value: .real(error), sampleCount: 200)
    }
    let rows = [row(.total, error: 0.09), row("tables", error: 0.11)]
    let judged = TargetJudge(rows: rows).judge(MachineTargets.predictions(in: rows))
    #expect(judged.map(\.target.class) == [.total, "tables"])
    #expect(judged.map(\.outcome) == [.met, .missed])
  }

  @Test("Targets of the path from a device to the screen")
  func pipeline() throws {
    let plan = try #require(
      PipelinePlan.standard(transport: .unix, preset: "lru", devices: 1, rate: 100, seed: 1))
    #expect(
      Self.asked(MachineTargets.pipeline(plan)) == [
        Asked(metric: .updateToNotify, statistic: .p99, class: plan.className, limit: 1e6),
        Asked(metric: .serverToUI, statistic: .p99, class: plan.className, limit: 20e6),
        Asked(metric: .serverToUI, statistic: .p999, class: plan.className, limit: 20e6),
      ])
  }
}
