package import ResultModel

/// What was predicted of caches' memory beside what the allocator counted.
package enum PredictionTable {
  private static let error = Metric.predictionErrorShare
  private static let metrics: Set<Metric> = [.predictedBytes, .cacheTotalBytes, error]
  /// The scenario of the measurement itself, of which more is said elsewhere.
  private static let measurement = "memory"

  /// Whether a row is said here, of a scenario's cache.
  package static func shows(_ row: ResultRow) -> Bool {
    metrics.contains(row.metric) && row.scenario != measurement
  }

  /// - Parameter rows: Those that it ``shows(_:)``.
  /// - Returns: One line for each scenario, policy and part of a cache, in their order; of a cache that kept
  ///   nothing only what it took.
  package static func table(_ rows: [ResultRow]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("scenario"), TextTable.Column("policy"),
      TextTable.Column("entities", .right),
      TextTable.Column("predicted", .right), TextTable.Column("counted", .right),
      TextTable.Column("error", .right),
    ])
    for row in rows where row.metric == error {
      func text(_ metric: Metric) -> String {
        let found = rows.first {
          $0.scenario == row.scenario && $0.policy == row.policy && $0.class == row.class
            && $0.metric == metric
        }
        return HumanNumber.text(
          found?.value, unit: metric.unit)
      }
      table.append([
        row.scenario, row.policy + (row.class == .total ? "" : ": \(row.class)"),
        HumanNumber.count(Double(row.sampleCount ?? 0)),
        text(.predictedBytes), text(.cacheTotalBytes), text(error),
      ])
    }
    return table
  }
}
