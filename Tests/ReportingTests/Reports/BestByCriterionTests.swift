import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("The best policy by each criterion")
struct BestByCriterionTests {
  private static let compositions =
    SampleRows.policy("lru", hit: 0.9, fresh: 0.9, bytes: 2_000_000, weight: 800)
    + SampleRows.policy("unbounded", hit: 1, fresh: 1, bytes: 1, weight: 1)

  private static func row(
    _ policy: String, _ metric: Metric, _ value: MetricValue, in class: ResultClass = .total,
    _ statistic: Statistic = .value
  ) -> ResultRow {
    ResultRow(
      scenario: "file-browser", policy: policy, seed: 7, class: `class`, metric: metric,
      statistic: statistic, value: value)
  }

  private static let designs =
    SampleRows.policy("two-tier", hit: 0.8, fresh: 0.7, bytes: 1_000_000, weight: 1_600)
    + [
      row("two-tier", .memoryHits, .integer(5), in: .all),
      row("two-tier", .diskBytes, .integer(3_000), .peak),
      row("two-tier", .offlineHitRatio, .real(0.6), in: .all),
      row("lru", .offlineHitRatio, .real(0.6), in: .all),
    ]

  @Test("takes a line each, bounds apart, if there are designs; equals are named")
  func lines() {
    let lines = BestByCriterion.lines(of: "file-browser", Self.compositions + Self.designs)
    #expect(lines.contains("most fresh: lru, 90.0 %"))
    #expect(lines.contains { $0.hasPrefix("fewest bytes: two-tier, ") })
    #expect(lines.contains { $0.hasPrefix("least memory: lru, ") })
    #expect(lines.contains { $0.hasPrefix("least disk: two-tier, ") })
    #expect(lines.contains { $0.hasPrefix("most without a link: lru, two-tier, ") })
    // No policy has a figure for it.
    #expect(!lines.contains { $0.hasPrefix("most after a start") })
    #expect(!lines.contains { $0.contains("unbounded") })
  }

  @Test("is absent if all are of one design, and leaves out contenders over a limit")
  func silence() {
    #expect(BestByCriterion.lines(of: "file-browser", Self.compositions) == [])
    let over = Self.designs.map { row in
      var row = row
      if row.policy == "two-tier", row.metric == .overLimit { row.value = .real(1.2) }
      return row
    }
    let lines = BestByCriterion.lines(of: "file-browser", Self.compositions + over)
    #expect(lines.contains { $0.hasPrefix("fewest bytes: lru, ") })
  }
}

extension BestByCriterionTests {
  fileprivate static func row(
    _ policy: String, _ metric: Metric, _ value: MetricValue, _ statistic: Statistic
  ) -> ResultRow {
    row(policy, metric, value, in: .total, statistic)
  }
}

@Suite("Table of axes")
struct AxisTableTests {
  @Test("A line per scenario has the points of each change, signed; a dash where there is none")
  func table() {
    func effect(_ scenario: String, _ change: String, _ with: [Double]?) -> AxisEffect {
      AxisEffect(
        scenario: scenario, change: change,
        difference: with.flatMap { PairedInterval(of: $0, less: [0.5, 0.5]) })
    }
    let text = AxisTable.table([
      effect("a", "sieve", [0.51, 0.53]), effect("a", "ttl 60 s", [0.4, 0.4]),
      effect("b", "ttl 60 s", nil), effect("b", "sieve", [0.5, 0.5]),
    ]).terminal(style: .plain)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines[0] == "scenario sieve ttl 60 s")
    // Two seeds: the half width is 12.706 · 0.01, of a standard error of 0.01.
    #expect(lines[2] == "a +2.0 ± 12.7 -10.0 ± 0.0")
    #expect(lines[3] == "b 0.0 ± 0.0 –")
  }
}
