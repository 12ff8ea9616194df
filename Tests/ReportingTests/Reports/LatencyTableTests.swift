import ResultModel
import Testing

@testable import Reporting

@Suite("Table of latencies")
struct LatencyTableTests {
  /// What events cost in every class, with the control beside it.
  private static let everything: [ResultRow] = [
    "single", "single/hot", "single/store", "batch-1000", "batch-1000/hot",
  ]
  .flatMap { name in
    [Metric.eventCost, .controlEventCost].map { metric in
      ResultRow(
        scenario: "event-cost", policy: "", seed: 1, class: name, metric: metric,
        statistic: .p50, value: .integer(metric == .eventCost ? 2_000 : 1_000), sampleCount: 20)
    }
  }

  @Test("single events at every pace, the controls, then batches")
  func snapshot() {
    expectSnapshot(
      LatencyTable.table(Self.everything).terminal(style: .plain),
      """
      what                events         n     p50  p99  p99.9  max
      ──────────────────  ────────────  ──  ──────  ───  ─────  ───
      event_cost          single        20  2.0 µs    –      –    –
      event_cost          single/hot    20  2.0 µs    –      –    –
      event_cost          single/store  20  2.0 µs    –      –    –
      control_event_cost  single        20  1.0 µs    –      –    –
      control_event_cost  single/hot    20  1.0 µs    –      –    –
      control_event_cost  single/store  20  1.0 µs    –      –    –
      event_cost          batch-1000    20  2.0 µs    –      –    –

      """)
  }

  @Test("bench shows it, and beside it the policies of a scenario, whose rows it does not repeat")
  func report() {
    let played = ["lru", "ttl"].flatMap { policy in
      [Metric.measuredHitRatio, .updateToNotify].map { metric in
        ResultRow(
          scenario: "small", policy: policy, seed: 1, class: "all", metric: metric,
          value: .real(0.5))
      }
    }
    var report = BenchReport(rows: Self.everything + played, verdicts: [])
    report.measured = played
    let text = report.text(style: .plain)
    #expect(text.contains("the cache's own share of an event"))
    #expect(text.contains("policies in real time: small"))
    #expect(text.contains("everything: latency.csv"))
    #expect(!text.contains("memory and throughput"))
    let measure = MeasureReport.text(Self.everything, style: .plain)
    #expect(measure.contains("batch-1000/hot"))
  }
}
