package import ResultModel

/// How long events took, in quantiles: first single ones, then the control, then batches.
package enum LatencyTable {
  private static let statistics: [Statistic] = [.p50, .p99, .p999, .max]
  private static let own = Metric.eventCost
  private static let control = Metric.controlEventCost
  private static let single = "single"

  static func shows(_ row: ResultRow) -> Bool { [own, control].contains(row.metric) }

  /// Sets the rows of one scenario of measurements in a table.
  ///
  /// - Returns: One line per metric and class; what was not measured has none.
  package static func table(_ rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [
        TextTable.Column("what"), TextTable.Column("events"), TextTable.Column("n", .right),
      ] + statistics.map { TextTable.Column($0.rawValue, .right) })
    let classes = rows.distinct(\.class)
    let singles = classes.filter { $0.subject == single }
    let batches = classes.filter {
      $0.subject != single && $0.lane == nil && $0.pace == .openLoop
    }
    for (classes, metric) in [(singles, own), (singles, control), (batches, own)] {
      for name in classes {
        if let line = line(metric, of: name, rows: rows) { table.append(line) }
      }
    }
    return table
  }

  private static func line(
    _ metric: Metric, of name: ResultClass, rows: [ResultRow]
  ) -> [String]? {
    let own = rows.filter { $0.metric == metric && $0.class == name }
    guard !own.isEmpty else { return nil }
    let count = own.compactMap(\.sampleCount).max()
    let cells = statistics.map { statistic in
      HumanNumber.text(
        own.first { $0.statistic == statistic }?.value, unit: .nanoseconds)
    }
    return [metric.name, "\(name)", count.map { HumanNumber.count(Double($0)) } ?? ""] + cells
  }
}
