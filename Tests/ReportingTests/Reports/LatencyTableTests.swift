import Metrics
import Testing

@testable import Reporting

@Suite("Table of latencies")
struct LatencyTableTests {
  /// Every metric of latency in every class, under two policies and, for the controls, under none.
  private static let everything: [ResultRow] = [
    "single", "single/stream", "batch-100", "batch-100/stream",
  ]
  .flatMap { name in
    MetricRegistry.all.filter { $0.unit == .nanoseconds && $0.noiseClass != .exact }
      .flatMap { metric in
        let isControl = [
          "control_notify", "control_to_ui", "control_event_cost", "sleeper_lateness",
        ].contains(metric.name)
        return (isControl ? [""] : ["lru", "ttl"]).map { policy in
          ResultRow(
            scenario: "update-to-notify", policy: policy, seed: 1, class: name,
            metric: metric.name, statistic: "p50",
            value: .integer(policy == "ttl" ? 2_000 : 1_000), sampleCount: 20)
        }
      }
  }

  @Test("single events of every door, the controls, then batches through the first door")
  func snapshot() {
    expectSnapshot(
      LatencyTable.table(of: "ttl", rows: Self.everything).terminal(style: .plain),
      """
      what                events          n     p50  p99  p99.9  max
      ──────────────────  ─────────────  ──  ──────  ───  ─────  ───
      generator_lateness  single         20  2.0 µs    –      –    –
      decode              single         20  2.0 µs    –      –    –
      apply               single         20  2.0 µs    –      –    –
      notify              single         20  2.0 µs    –      –    –
      update_to_notify    single         20  2.0 µs    –      –    –
      response_time       single         20  2.0 µs    –      –    –
      server_to_ui        single         20  2.0 µs    –      –    –
      event_cost          single         20  2.0 µs    –      –    –
      generator_lateness  single/stream  20  2.0 µs    –      –    –
      decode              single/stream  20  2.0 µs    –      –    –
      apply               single/stream  20  2.0 µs    –      –    –
      notify              single/stream  20  2.0 µs    –      –    –
      update_to_notify    single/stream  20  2.0 µs    –      –    –
      response_time       single/stream  20  2.0 µs    –      –    –
      server_to_ui        single/stream  20  2.0 µs    –      –    –
      event_cost          single/stream  20  2.0 µs    –      –    –
      control_notify      single         20  1.0 µs    –      –    –
      control_to_ui       single         20  1.0 µs    –      –    –
      control_event_cost  single         20  1.0 µs    –      –    –
      sleeper_lateness    single         20  1.0 µs    –      –    –
      control_notify      single/stream  20  1.0 µs    –      –    –
      control_to_ui       single/stream  20  1.0 µs    –      –    –
      control_event_cost  single/stream  20  1.0 µs    –      –    –
      sleeper_lateness    single/stream  20  1.0 µs    –      –    –
      update_to_notify    batch-100      20  2.0 µs    –      –    –
      apply               batch-100      20  2.0 µs    –      –    –
      event_cost          batch-100      20  2.0 µs    –      –    –

      """)
  }

  @Test("bench shows each policy once and names the file of the rest; measure shows everything")
  func reports() {
    let bench = BenchReport(rows: Self.everything, verdicts: [], judgements: []).text(style: .plain)
    for title in ["latency on this machine (lru)", "latency on this machine (ttl)"] {
      #expect(bench.contains(title))
    }
    #expect(bench.contains("everything: latency.csv"))
    #expect(!bench.contains("service_time"))
    let measure = MeasureReport.text(Self.everything, style: .plain)
    for name in Self.everything.distinct(\.metric) { #expect(measure.contains(name)) }
    #expect(measure.contains("batch-100/stream"))
  }

  @Test("the share of batches within the target of single events is left to measure")
  func shares() {
    let rows = ["single/ui", "batch-100/ui"].map {
      ResultRow(
        scenario: "update-to-notify", policy: "lru", seed: 1, class: $0,
        metric: "share_within_target", value: .real(0.5))
    }
    let bench = BenchReport(rows: rows, verdicts: [], judgements: []).text(style: .plain)
    #expect(bench.contains("single/ui"))
    #expect(!bench.contains("batch-100/ui"))
    #expect(MeasureReport.text(rows, style: .plain).contains("batch-100/ui"))
  }
}
