import ResultModel
import Testing

@testable import Reporting

@Suite("Table of stages")
struct StageTableTests {
  private static let stages: [Metric] = [
    .generatorLateness, .uplink, .downlink, .inboxWait, .decode, .apply, .notify,
    .frameWait, .draw,
  ]

  /// Stage number n takes n µs on average; all together take 45 µs.
  private static let rows: [ResultRow] =
    (stages + [.serverToUI]).enumerated().flatMap { index, metric in
      [(Statistic.p50, Int64(index + 1) * 1_000), (.mean, metric == .serverToUI ? 45_000 : 0)]
        .map { statistic, value in
          ResultRow(
            scenario: "pipeline", policy: "lru", seed: 1, class: "unix", metric: metric,
            statistic: statistic,
            value: statistic == .mean && value == 0
              ? .real(Double(index + 1) * 1_000) : .integer(value), sampleCount: 30)
        }
    }

  @Test("every stage in order, what it takes of the whole, and the whole")
  func snapshot() {
    expectSnapshot(
      StageTable.table(of: "unix", rows: Self.rows).terminal(style: .plain),
      """
      stage                n      p50  p99  p99.9  max     mean    share
      ──────────────────  ──  ───────  ───  ─────  ───  ───────  ───────
      generator_lateness  30   1.0 µs    –      –    –   1.0 µs    2.2 %
      uplink              30   2.0 µs    –      –    –   2.0 µs    4.4 %
      downlink            30   3.0 µs    –      –    –   3.0 µs    6.7 %
      inbox_wait          30   4.0 µs    –      –    –   4.0 µs    8.9 %
      decode              30   5.0 µs    –      –    –   5.0 µs   11.1 %
      apply               30   6.0 µs    –      –    –   6.0 µs   13.3 %
      notify              30   7.0 µs    –      –    –   7.0 µs   15.6 %
      frame_wait          30   8.0 µs    –      –    –   8.0 µs   17.8 %
      draw                30   9.0 µs    –      –    –   9.0 µs   20.0 %
      server_to_ui        30  10.0 µs    –      –    –  45.0 µs  100.0 %

      """)
  }

  @Test(
    "what has a target has the share of samples that kept it, rounded down, and its control too")
  func shares() {
    let shares = [
      ("lru", Metric.updateToNotifyWithinTarget, 0.99999), ("lru", .serverToUIWithinTarget, 1),
      ("", .updateToNotifyWithinTarget, 0.5),
    ].map { policy, metric, share in
      ResultRow(
        scenario: "pipeline", policy: policy, seed: 1, class: "unix", metric: metric,
        value: .real(share))
    }
    let judged = [Metric.serverToUI, .updateToNotify, .controlNotify].map { metric in
      ResultRow(
        scenario: "pipeline", policy: "lru", seed: 1, class: "unix", metric: metric,
        statistic: .p50, value: .integer(1_000))
    }
    let rows = judged + shares
    let lines = StageTable.table(of: "unix", rows: rows).terminal(style: .plain)
      .split(separator: "\n")
    func end(_ metric: Metric) -> String? {
      lines.first { $0.hasPrefix(metric.name) }.map { String($0.suffix(8)) }
    }
    #expect(lines.first?.hasSuffix("within target") == true)
    #expect(end(.serverToUI) == "   100 %")
    #expect(end(.updateToNotify) == " 99.99 %")
    #expect(end(.controlNotify) == " 50.00 %")
    let measure = MeasureReport.text(rows, style: .plain)
    #expect(!measure.contains("within_target"))
  }

  @Test("bench and measure show the table, and do not repeat it among the latencies")
  func reports() {
    let bench = BenchReport(rows: Self.rows, verdicts: []).text(style: .plain)
    let measure = MeasureReport.text(Self.rows, style: .plain)
    for text in [bench, measure] {
      #expect(text.contains("from the device to the screen, unix"))
      #expect(text.split(separator: Metric.frameWait.name).count == 2)
    }
    #expect(!bench.contains("latency on this machine"))
  }
}
