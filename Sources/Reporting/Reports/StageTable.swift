package import Metrics

/// Where the time of a change goes on its way from a device to the screen: one line for each stage, in
/// order, and their sum.
///
/// Means add up; quantiles do not, since the slowest in one stage is rarely the slowest in another.
package enum StageTable {
  private static let stages = [
    "generator_lateness", "uplink", "downlink", "inbox_wait", "decode", "apply", "notify",
    "frame_wait", "draw",
  ]
  private static let total = "server_to_ui"
  private static let statistics: [Statistic] = [.p50, .p99, .p999, .max, .mean]
  /// Of whose rows the tables are.
  static let scenario = "pipeline"

  /// The classes that have stages, in the order of the rows.
  static func classes(of rows: [ResultRow]) -> [String] {
    rows.filter { $0.scenario == scenario && $0.metric == stages.first }.distinct(\.class)
  }

  /// Whether a row is in one of these tables.
  static func shows(_ row: ResultRow) -> Bool {
    row.scenario == scenario && stages.contains(row.metric)
  }

  /// Sets the stages of one class in a table.
  package static func table(of name: String, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("stage"), TextTable.Column("n", .right)]
        + statistics.map { TextTable.Column($0.rawValue, .right) }
        + [TextTable.Column("share", .right)])
    let own = rows.filter { $0.scenario == scenario && $0.class == name }
    func value(_ metric: String, _ statistic: Statistic) -> MetricValue? {
      own.first { $0.metric == metric && $0.statistic == statistic.rawValue }?.value
    }
    let whole = value(total, .mean)?.asDouble
    for metric in stages + [total] {
      let count = own.first { $0.metric == metric }?.sampleCount
      let mean = value(metric, .mean)?.asDouble
      let share: Double? =
        if let mean, let whole, whole > 0 { mean / whole } else { nil }
      table.append(
        [metric, count.map { HumanNumber.count(Double($0)) } ?? ""]
          + statistics.map { HumanNumber.text(value(metric, $0), unit: .nanoseconds) }
          + [HumanNumber.text(share.map { .real($0) }, unit: .ratio)])
    }
    return table
  }
}
