import Analysis
import Metrics
import Testing

@testable import Reporting

@Suite("Report of gate")
struct GateReportTests {
  private static let digests = [ScenarioDigest(scenario: "s", digest: "d")]

  private static func row(_ metric: Metric, _ value: Int64?) -> ResultRow {
    ResultRow(
      scenario: "s", policy: "lru", seed: 1, metric: metric,
      value: value.map(MetricValue.integer))
  }

  private static func compare(
    _ baseline: [ResultRow], _ candidate: [ResultRow], targets: [Target] = [],
    digest: String = "d"
  ) -> Verdict {
    Gate.compare(
      baseline: ResultSet(
        scenarios: [ScenarioDigest(scenario: "s", digest: digest)], rows: baseline),
      candidate: ResultSet(scenarios: digests, rows: candidate),
      targets: targets)
  }

  @Test("every kind of difference by name, the targets that did not pass, and the remedy")
  func snapshot() {
    let verdict = Self.compare(
      [
        Self.row(.reads, 5), Self.row(.fetches, 5), Self.row(.hitFresh, 5),
        Self.row(.evictions, 5), Self.row(.failed, 0),
      ],
      [
        Self.row(.reads, 5), Self.row(.fetches, 6), Self.row(.hitFresh, 6),
        Self.row(.evictions, 4), Self.row(.partial, 1), Self.row(.partial, 1),
      ],
      targets: [
        Target(scenario: "s", metric: .fetches, comparison: .atMost, limit: 5, policies: ["lru"]),
        Target(scenario: "s", metric: .reads, comparison: .atLeast, limit: 5, policies: ["lru"]),
        Target(scenario: "s", metric: .resyncs, comparison: .atMost, limit: 0, policies: ["lru"]),
        Target(scenario: "s", metric: .reads, comparison: .atLeast, limit: 9, policies: ["lru"]),
      ])
    expectSnapshot(
      GateReport.text(verdict, style: .plain),
      """
      regressed s/lru seed 1 total: fetches value: was 5, is 6
      improved s/lru seed 1 total: hit_fresh value: was 5, is 6
      changed s/lru seed 1 total: evictions value: was 5, is 4
      missing s/lru seed 1 total: failed value: was 0, has no value
      unbaselined s/lru seed 1 total: partial value: is 1, not in the baseline
      invalid s/lru seed 1 total: partial value: is twice in this run
      target s/lru: fetches is 6, limit ≤ 5: missed
      target s/lru: resyncs is –, limit ≤ 0: no data: not measured
      target s/lru: reads is 5, limit ≥ 9: missed, as in the baseline
      gate failed: 1 rows equal, 1 regressed, 1 improved, 1 changed, 1 missing, 1 unbaselined, 1 invalid; \
      targets missed: 1; targets without a verdict: 1; targets missed, as in the baseline: 1
      if this was meant, renew the baseline: make baseline

      """)
  }

  @Test("an incompatible baseline says what to do")
  func incompatible() {
    let rows = [Self.row(.reads, 5)]
    expectSnapshot(
      GateReport.text(Self.compare(rows, rows, digest: "other"), style: .plain),
      """
      incompatible: scenario s is not the one of the baseline; renew it with `make baseline`
      gate incompatible: 0 rows equal

      """)
  }

  @Test("a flood of differences is counted, not printed")
  func flood() {
    let rows = (0..<100).map { seed in
      var row = Self.row(.fetches, 1)
      row.seed = UInt64(seed)
      return row
    }
    let text = GateReport.text(Self.compare(rows, rows.map { $0.withValue(2) }), style: .plain)
    #expect(text.contains("regressed: and 60 more, in verdict.json"))
    #expect(text.split(separator: "\n").count == 43)
  }
}

extension ResultRow {
  fileprivate func withValue(_ value: Int64) -> ResultRow {
    var row = self
    row.value = .integer(value)
    return row
  }
}
