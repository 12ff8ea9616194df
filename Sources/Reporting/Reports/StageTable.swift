package import ResultModel

/// Where the time of a change goes on its way from a device to the screen: one line for each stage, in
/// order, and their sum.
///
/// Means add up; quantiles do not, since the slowest in one stage is rarely the slowest in another.
/// Below the sum stand the parts that have a target, and their controls, with the share of samples that
/// kept it.
package enum StageTable {
  private static let stages: [Metric] = [
    .generatorLateness, .uplink, .downlink, .inboxWait, .decode, .apply, .notify,
    .frameWait, .draw,
  ]
  private static let total = Metric.serverToUI
  /// What has a target, or is the control of one: its metric, and the metric of its share.
  private static let judged: [(metric: Metric, share: Metric, isControl: Bool)] = [
    (.serverToUI, .serverToUIWithinTarget, false),
    (.updateToNotify, .updateToNotifyWithinTarget, false),
    (.controlNotify, .updateToNotifyWithinTarget, true),
    (.controlToUI, .serverToUIWithinTarget, true),
  ]
  private static let statistics: [Statistic] = [.p50, .p99, .p999, .max, .mean]
  /// Of whose rows the tables are.
  static let scenario = "pipeline"

  /// The classes that have stages, in the order of the rows.
  static func classes(of rows: [ResultRow]) -> [ResultClass] {
    rows.filter { $0.scenario == scenario && $0.metric == stages.first }.distinct(\.class)
  }

  /// Whether a row is in one of these tables.
  static func shows(_ row: ResultRow) -> Bool {
    guard row.scenario == scenario else { return false }
    if judged.contains(where: { $0.share == row.metric }) { return true }
    return stages.contains(row.metric)
      || judged.contains { $0.metric == row.metric } && row.class.lane != .frameBoundary
  }

  /// Sets the stages of one class in a table.
  package static func table(of name: ResultClass, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("stage"), TextTable.Column("n", .right)]
        + statistics.map { TextTable.Column($0.rawValue, .right) }
        + [TextTable.Column("share", .right), TextTable.Column("within target", .right)])
    let shares = SharesWithinTarget(rows: rows)
    let own = rows.filter { $0.scenario == scenario && $0.class == name }
    func value(_ metric: Metric, _ statistic: Statistic) -> MetricValue? {
      own.first { $0.metric == metric && $0.statistic == statistic }?.value
    }
    let whole = value(total, .mean)?.asDouble
    let others = judged.map(\.metric).filter { metric in
      metric != total && own.contains { $0.metric == metric }
    }
    for metric in stages + [total] + others {
      let count = own.first { $0.metric == metric }?.sampleCount
      let mean = value(metric, .mean)?.asDouble
      var share: String?
      if let mean, let whole, whole > 0, !others.contains(metric) {
        share = HumanNumber.percent(mean / whole)
      }
      let within = judged.first { $0.metric == metric }.flatMap {
        shares.text($0.share, of: name, isControl: $0.isControl)
      }
      table.append(
        [metric.name, count.map { HumanNumber.count(Double($0)) } ?? ""]
          + statistics.map { HumanNumber.text(value(metric, $0), unit: .nanoseconds) }
          + [share ?? "", within ?? ""])
    }
    return table.withoutEmptyColumns()
  }
}
