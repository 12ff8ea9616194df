import ResultModel
import Testing

@testable import Reporting

@Suite("Table of alternatives")
struct AlternativeTableTests {
  private static func row(
    _ policy: String, _ metric: Metric, _ value: Double?, statistic: Statistic = .p50,
    class: ResultClass = "single/hot", interval: ClosedRange<Double>? = nil
  ) -> ResultRow {
    ResultRow(
      scenario: "alternatives", policy: policy, seed: 1, class: `class`, metric: metric,
      statistic: statistic, value: value.map { .real($0) }, sampleCount: 1_500,
      confidenceInterval: interval)
  }

  private static let rows = [
    row("ours", .apply, 1_000), row("ours", .notify, 500), row("ours", .eventCost, 1_500),
    row("ours", .eventCost, 4_000, statistic: .p99),
    row("other", .apply, 60_000), row("other", .notify, 400), row("other", .eventCost, 60_400),
    row("", .controlEventCost, 300),
    row("other", .applyRatio, 60, interval: 58...61.5), row("other", .notifyRatio, 0.8),
    row("other", .eventCostRatio, 40.3, interval: 38...41.5),
    row("ours", .eventCost, 9_000, class: "single"),
  ]

  @Test(
    "Each stage has its ratio to ours, both with intervals; the control comes last")
  func snapshot() {
    expectSnapshot(
      AlternativeTable.table(of: "single/hot", rows: Self.rows).terminal(style: .plain),
      """
      alternative    apply  × ours  notify  × ours     both            × ours     p99
      ───────────  ───────  ──────  ──────  ──────  ───────  ────────────────  ──────
      ours          1.0 µs          500 ns           1.5 µs                    4.0 µs
      other        60.0 µs    60.0  400 ns    0.80  60.4 µs  40.3 (38.0–41.5)       –
      (control)                                      300 ns                         –

      alternative  p99.9
      ───────────  ─────
      ours             –
      other            –
      (control)        –

      """)
  }

  @Test("There is a table for each workload and pace, titled for people")
  func report() {
    let text = AlternativeReport.text(Self.rows, judgements: [], style: .plain)
    #expect(text.contains("single, back to back (medians)\n"))
    #expect(text.contains("single, open loop (medians)\n"))
    #expect(!text.contains("targets"))
  }
}
