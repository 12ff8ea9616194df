import ResultModel
import Testing

@testable import Reporting

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
