package import Metrics

/// Where the time of a change goes on its way from a device to the screen: one line for each stage, in
/// order, and their sum.
///
/// Means add up; quantiles do not, since the slowest in one stage is rarely the slowest in another.
/// Below the sum stand the parts that have a target, and their controls, with the share of samples that
/// kept it.
package enum StageTable {
  private static let stages = [
    "generator_lateness", "uplink", "downlink", "inbox_wait", "decode", "apply", "notify",
    "frame_wait", "draw",
  ]
  private static let total = "server_to_ui"
  /// What has a target, or is the control of one: its metric, and where its share is said.
  private static let judged = [
    ("server_to_ui", "/ui"), ("update_to_notify", ""), ("control_notify", "/control"),
    ("control_to_ui", "/control-ui"),
  ]
  private static let statistics: [Statistic] = [.p50, .p99, .p999, .max, .mean]
  /// Of whose rows the tables are.
  static let scenario = "pipeline"

  /// The classes that have stages, in the order of the rows.
  static func classes(of rows: [ResultRow]) -> [String] {
    rows.filter { $0.scenario == scenario && $0.metric == stages.first }.distinct(\.class)
  }

  /// Whether a row is in one of these tables.
  static func shows(_ row: ResultRow) -> Bool {
    guard row.scenario == scenario else { return false }
    if row.metric == SharesWithinTarget.metric { return true }
    return stages.contains(row.metric)
      || judged.contains { $0.0 == row.metric } && !row.class.hasSuffix("/frame-boundary")
  }

  /// Sets the stages of one class in a table.
  package static func table(of name: String, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("stage"), TextTable.Column("n", .right)]
        + statistics.map { TextTable.Column($0.rawValue, .right) }
        + [TextTable.Column("share", .right), TextTable.Column("within target", .right)])
    let shares = SharesWithinTarget(rows: rows)
    let own = rows.filter { $0.scenario == scenario && $0.class == name }
    func value(_ metric: String, _ statistic: Statistic) -> MetricValue? {
      own.first { $0.metric == metric && $0.statistic == statistic.rawValue }?.value
    }
    let whole = value(total, .mean)?.asDouble
    let others = judged.map(\.0).filter { metric in
      metric != total && own.contains { $0.metric == metric }
    }
    for metric in stages + [total] + others {
      let count = own.first { $0.metric == metric }?.sampleCount
      let mean = value(metric, .mean)?.asDouble
      var share: String?
      if let mean, let whole, whole > 0, !others.contains(metric) {
        share = HumanNumber.percent(mean / whole)
      }
      let within = judged.first { $0.0 == metric }.flatMap { shares.text(of: name + $0.1) }
      table.append(
        [metric, count.map { HumanNumber.count(Double($0)) } ?? ""]
          + statistics.map { HumanNumber.text(value(metric, $0), unit: .nanoseconds) }
          + [share ?? "", within ?? ""])
    }
    return table.withoutEmptyColumns()
  }
}
