import ResultModel
import Testing

@testable import Reporting

@Suite("The cost of an event, in the reports of a bench and of a measurement")
struct EventCostReportTests {
  /// The cost of events at each pace, and of the control.
  private static let everything: [ResultRow] = ["single", "single/hot"].flatMap { name in
    [Metric.eventCost, .controlEventCost].map { metric in
      ResultRow(
        scenario: "event-cost", policy: "", seed: 1, class: name, metric: metric,
        statistic: .p50, value: .integer(metric == .eventCost ? 2_000 : 1_000), sampleCount: 20)
    }
  }

  @Test("bench shows it, and the policies of a scenario, whose rows it does not repeat")
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
    report.counted = report.rows
    let text = report.text(style: .plain)
    #expect(text.contains("the cache's own share of an event"))
    #expect(text.contains("control_event_cost  single/hot  20  1.0 µs"))
    #expect(text.contains("policies in real time: small"))
    #expect(text.contains("everything: latency.csv"))
    #expect(!text.contains("memory and throughput"))
    let measure = MeasureReport.text(Self.everything, style: .plain)
    #expect(measure.contains("single/hot"))
  }
}

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

  @Test("every stage in order, its share of the whole, and the whole")
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

  @Test("a stage with a target, and its control, has the share of samples that kept it")
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

@Suite("Predictions of memory")
struct PredictionTableTests {
  private func rows(
    _ scenario: String, _ policy: String, of part: ResultClass = .total, predicted: Int64?,
    counted: Int64, entities: Int
  ) -> [ResultRow] {
    func row(_ metric: Metric, _ value: MetricValue?, _ statistic: Statistic = .value) -> ResultRow
    {
      ResultRow(
        scenario: scenario, policy: policy, seed: 1, class: part, metric: metric,
        statistic: statistic, value: value, sampleCount: entities)
    }
    return [
      row(.predictedBytes, predicted.map { .integer($0) }, .peak),
      row(.cacheTotalBytes, .integer(counted)),
      row(
        .predictionErrorShare, predicted.map { .real(abs(Double($0) / Double(counted) - 1)) }),
    ]
  }

  @Test("one line a policy: predicted, counted, and how far apart")
  func snapshot() {
    let all =
      rows("file-browser", "lru", predicted: 9_900_000, counted: 10_000_000, entities: 9_000)
      + rows("file-browser", "no-cache", predicted: nil, counted: 4_000, entities: 0)
      + rows("200 entries", "two-tier", predicted: 90_000, counted: 100_000, entities: 200)
      + rows(
        "200 entries", "two-tier", of: "tables", predicted: 5_000, counted: 8_000, entities: 200)
      + rows("memory", "lru", predicted: 1, counted: 2, entities: 3)
    #expect(all.filter(PredictionTable.shows).count == 12)
    expectSnapshot(
      PredictionTable.table(all.filter(PredictionTable.shows)).terminal(style: .plain),
      """
      scenario      policy            entities  predicted   counted   error
      ────────────  ────────────────  ────────  ─────────  ────────  ──────
      file-browser  lru                  9,000     9.9 MB   10.0 MB   1.0 %
      file-browser  no-cache                 0          –    4.0 kB       –
      200 entries   two-tier               200    90.0 kB  100.0 kB  10.0 %
      200 entries   two-tier: tables       200     5.0 kB    8.0 kB  37.5 %

      """)
  }
}

@Suite("Curves of scale for people")
struct ScaleTableTests {
  private func row(
    _ metric: Metric, _ name: ResultClass, _ value: Double?, interval: ClosedRange<Double>? = nil
  ) -> ResultRow {
    ResultRow(
      scenario: "scale", policy: "lru", seed: 1, class: name, metric: metric,
      value: value.map { .real($0) }, sampleCount: 41, confidenceInterval: interval)
  }

  @Test("one line a curve: both ends, the exponent with its interval, whether it is flat")
  func snapshot() {
    let rows =
      [(1_000, 1_500.0), (10_000, 1_600), (1_000_000, 3_000)].flatMap { size, cost in
        [
          row(.operationCost, ResultClass("hot-entities", lane: .event, size: size), cost),
          row(
            .cacheOperationsPerSecond, ResultClass("hot-entities", lane: .event, size: size),
            1e9 / cost),
        ]
      } + [
        row(.costExponent, "hot-entities/event", 0.1, interval: 0.05...0.12),
        row(.isCostFlat, "hot-entities/event", 1),
        row(.operationCost, "fan-out/read/1", 250),
        row(.costExponent, "fan-out/read", nil), row(.isCostFlat, "fan-out/read", nil),
      ]
    #expect(rows.allSatisfy(ScaleTable.shows))
    expectSnapshot(
      ScaleTable.table(rows).terminal(style: .plain),
      """
      axis          operation              sizes             cost  per s, largest
      ────────────  ─────────  ─────────────────  ───────────────  ──────────────
      hot-entities  event      1,000 … 1,000,000  1.5 µs … 3.0 µs       333.3 k/s
      fan-out       read                   1 … 1  250 ns … 250 ns               –

      axis          operation             exponent  flat
      ────────────  ─────────  ───────────────────  ────
      hot-entities  event      0.10 (0.05 to 0.12)  yes
      fan-out       read                         –  –

      """)
  }
}
