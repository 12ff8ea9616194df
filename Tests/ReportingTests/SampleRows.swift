import Metrics

/// A small run of two scenarios, as a simulation and a measurement would report it.
enum SampleRows {
  static let simulated: [ResultRow] =
    policy("lru", hit: 0.91, fresh: 0.9, bytes: 12_300_000, weight: 4_000_000)
    + policy("ttl", hit: 0.88, fresh: 0.869, bytes: 15_000_000, weight: 3_900_000)
    + policy("unbounded", hit: 0.99, fresh: 0.99, bytes: 1_000, weight: 90_000_000)

  static let measured: [ResultRow] =
    ["p50", "p99", "p99.9"].map { statistic in
      ResultRow(
        scenario: "latency", policy: "spacedrive", seed: 1, class: "single",
        metric: "update_to_notify", statistic: statistic,
        value: statistic == "p99.9" ? nil : .integer(statistic == "p50" ? 12_345 : 456_000),
        sampleCount: 2_000)
    } + [
      ResultRow(
        scenario: "latency", policy: "", seed: 1, class: "single", metric: "control_notify",
        statistic: "p99", value: .integer(200_000), sampleCount: 2_000),
      ResultRow(
        scenario: "memory", policy: "", seed: 1, metric: "bytes_per_entity", value: .integer(1_310)),
    ]

  static func policy(
    _ policy: String, scenario: String = "file-browser", hit: Double, fresh: Double, bytes: Int64,
    weight: Int64
  ) -> [ResultRow] {
    func row(
      _ metric: String, _ value: MetricValue, class: String = "total", statistic: String = "value"
    ) -> ResultRow {
      ResultRow(
        scenario: scenario, policy: policy, seed: 7, class: `class`, metric: metric,
        statistic: statistic, value: value)
    }
    return [
      row("reads", .integer(1_000), class: "all"), row("hit_ratio", .real(hit), class: "all"),
      row("hit_ratio", .real(hit), class: "file"),
      row("fresh_hit_ratio", .real(fresh), class: "all"),
      row("stale_read_share", .real(0.01), class: "all"),
      row("read_wait", .real((1 - fresh) * 100_000_000), class: "all", statistic: "mean"),
      row("bytes_fetched", .integer(bytes)), row("bytes_pushed", .integer(8_000_000)),
      row("resident_weight", .integer(weight), statistic: "peak"),
      row("predicted_bytes", .integer(weight + weight / 8), statistic: "peak"),
      row("over_limit", .real(0.9), statistic: "peak"), row("evictions", .integer(1_234)),
    ]
  }
}
