import ResultModel
import Testing

@testable import Reporting

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
