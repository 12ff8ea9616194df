import ResultModel

/// A small run of two scenarios, as a simulation and a measurement would report it.
enum SampleRows {
  static let simulated: [ResultRow] =
    policy("lru", hit: 0.91, fresh: 0.9, bytes: 12_300_000, weight: 4_000_000)
    + policy("ttl", hit: 0.88, fresh: 0.869, bytes: 15_000_000, weight: 3_900_000)
    + policy("unbounded", hit: 0.99, fresh: 0.99, bytes: 1_000, weight: 90_000_000)

  static let measured: [ResultRow] =
    [Statistic.p50, .p99, .p999].map { statistic in
      ResultRow(
        scenario: "latency", policy: "spacedrive", seed: 1, class: "single",
        metric: .updateToNotify, statistic: statistic,
        value: statistic == .p999 ? nil : .integer(statistic == .p50 ? 12_345 : 456_000),
        sampleCount: 2_000)
    } + [
      ResultRow(
        scenario: "latency", policy: "", seed: 1, class: "single", metric: .controlNotify,
        statistic: .p99, value: .integer(200_000), sampleCount: 2_000),
      ResultRow(
        scenario: "memory", policy: "", seed: 1, metric: .bytesPerEntity, value: .integer(1_310)),
    ]

  static func policy(
    _ policy: String, scenario: String = "file-browser", hit: Double, fresh: Double, bytes: Int64,
    weight: Int64
  ) -> [ResultRow] {
    func row(
      _ metric: Metric, _ value: MetricValue, class: ResultClass = .total,
      statistic: Statistic = .value
    ) -> ResultRow {
      ResultRow(
        scenario: scenario, policy: policy, seed: 7, class: `class`, metric: metric,
        statistic: statistic, value: value)
    }
    return [
      row(.reads, .integer(1_000), class: "all"), row(.hitRatio, .real(hit), class: "all"),
      row(.hitRatio, .real(hit), class: "file"),
      row(.freshHitRatio, .real(fresh), class: "all"),
      row(.staleReadShare, .real(0.01), class: "all"),
      row(.readWait, .real((1 - fresh) * 100_000_000), class: "all", statistic: .mean),
      row(.bytesFetched, .integer(bytes)), row(.bytesPushed, .integer(8_000_000)),
      row(.residentWeight, .integer(weight), statistic: .peak),
      row(.predictedBytes, .integer(weight + weight / 8), statistic: .peak),
      row(.overLimit, .real(0.9), statistic: .peak), row(.evictions, .integer(1_234)),
    ]
  }
}
