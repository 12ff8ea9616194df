import ResultModel
import Testing

@testable import Workloads

@Suite("Goals of a scenario")
struct GoalSectionTests {
  private func parse(_ goal: String) throws -> GoalSection {
    try Scenario.parse(
      Array(MinimalScenario.completing("goal:\n\(goal)\n").utf8), file: "a.yaml",
      vocabulary: .unchecked
    ).goal
  }

  @Test("Objective, limits, weight and zone are read, with their units")
  func whole() throws {
    let ship = try parse(
      """
        minimise: read_wait
        subject-to: ['stale_read_share <= 1 %', 'predicted_bytes <= 15 MB', 'read_wait:p95>=2 ms']
        zone: 3 %
      """)
    #expect(ship.metric == .readWait)
    #expect(ship.seeks == .lowest)
    #expect(ship.zone == .share(0.03))
    #expect(ship.constraints.map(\.statistic) == [.value, .peak, .p95])
    #expect(ship.constraints.map(\.limit) == [0.01, 15_000_000, 2_000_000])
    #expect(ship.constraints.map(\.comparison) == [.atMost, .atMost, .atLeast])
    #expect(ship.constraints[2].text == "read_wait:p95 >= 2 ms")
  }

  @Test("Without a section the highest share of fresh hits is sought")
  func absent() throws {
    let scenario = try Scenario.parse(
      Array(MinimalScenario.completing("").utf8), file: "a.yaml", vocabulary: .unchecked)
    #expect(scenario.goal.metric == .freshHitRatio)
    #expect(scenario.goal.seeks == .highest)
    #expect(scenario.goal.constraints.isEmpty)
    #expect(scenario.goal.staleWeight == 0)
  }

  @Test(
    "A goal without a meaning is reported with place and remedy",
    arguments: [
      ("  maximise: fresh_hits", "2:13"),
      ("  maximise: fresh_hit_ratio\n  minimise: read_wait", "2:3"),
      ("  maximise: read_wait", "write `minimise: read_wait`"),
      ("  subject-to: ['stale_read_share < 1 %']", "stale_read_share <= 1 %"),
      ("  subject-to: ['stale_read_share <= 1']", "`1` has no unit; write `1 %`"),
      ("  subject-to: ['stale_read_share <= 1 MB']", "is a share, the limit a size"),
      ("  subject-to: ['read_wait:max <= 1 s']", "mean, p50, p95, p99"),
      ("  subject-to: ['stale <= 1 %']", "unknown metric"),
      ("  zone: 1", "0.5 points"), ("  minimise: read_wait\n  zone: 0.5 points", "not a ratio"),
      ("  minimise: read_wait\n  stale-weight: 1", "fresh_hit_ratio"),
    ])
  func refused(_ goal: String, hint: String) {
    do {
      _ = try parse(goal)
      Issue.record("nothing was refused")
    } catch {
      #expect("\(error)".contains(hint), "\(error)")
    }
  }
}
