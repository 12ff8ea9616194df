import ResultModel
import Testing

@testable import Reporting

@Suite("Table of a series of runs")
struct SeriesTableTests {
  private static let rows: [ResultRow] = [
    (Metric.achievedEventsPerSecond, Statistic.value, MetricValue.real(999.6)),
    (.generatorLateness, .p99, .integer(163_600)),
    (.updateToNotify, .p50, .integer(168_800)),
    (.updateToNotify, .p99, .integer(329_000)),
    (.updateToNotifyWithinTarget, .value, .real(0.9999)),
    (.serverToUI, .p99, .integer(18_900_000)),
    (.serverToUI, .p999, .integer(19_600_000)),
    (.serverToUIWithinTarget, .value, .real(0.99957)),
  ].map { metric, statistic, value in
    ResultRow(
      scenario: "pipeline", policy: "lru", seed: 1, class: "unix-rate-1000",
      metric: metric, statistic: statistic, value: value)
  }

  @Test("one line for each run, what was not measured with a dash, then what follows")
  func snapshot() {
    expectSnapshot(
      SeriesTable.text(
        title: "rates", axis: "per second",
        lines: [
          .init(value: "1,000", class: "unix-rate-1000", verdict: "met", tone: .good),
          .init(value: "2,000", class: "unix-rate-2000", verdict: "missed", tone: .bad),
        ],
        rows: Self.rows, conclusion: "that is all", style: .plain),
      """
      rates
        per second  achieved  lateness p99  update_to_notify p50       p99   within
        ──────────  ────────  ────────────  ────────────────────  ────────  ───────
             1,000     1,000      163.6 µs              168.8 µs  329.0 µs  99.99 %
             2,000         –             –                     –         –        –

        per second  server_to_ui p99    p99.9   within  verdict
        ──────────  ────────────────  ───────  ───────  ───────
             1,000           18.9 ms  19.6 ms  99.95 %  met
             2,000                 –        –        –  missed
        → that is all

      """)
  }
}
