package import ResultModel

/// Runs over sockets that differ in one thing, one line each: what the two targets came to.
package enum SeriesTable {
  /// One run.
  package struct Line: Sendable {
    /// The value of what is varied.
    package var value: String
    /// The class of its rows.
    package var `class`: ResultClass
    package var verdict: String
    package var tone: Tone

    package init(value: String, class: ResultClass, verdict: String, tone: Tone) {
      self.value = value
      self.class = `class`
      self.verdict = verdict
      self.tone = tone
    }
  }

  /// A metric that has a column; the heading says it where that of the one before does not.
  private struct Column {
    var heading: String
    var metric: Metric
    var statistic: Statistic
    var unit: MetricUnit
  }

  private static let speed = [
    Column(
      heading: "achieved", metric: .achievedEventsPerSecond, statistic: .value, unit: .count),
    Column(
      heading: "lateness p99", metric: .generatorLateness, statistic: .p99, unit: .nanoseconds),
  ]
  private static let updates = [
    Column(
      heading: "update_to_notify p50", metric: .updateToNotify, statistic: .p50,
      unit: .nanoseconds),
    Column(heading: "p99", metric: .updateToNotify, statistic: .p99, unit: .nanoseconds),
  ]
  private static let screens = [
    Column(
      heading: "server_to_ui p99", metric: .serverToUI, statistic: .p99, unit: .nanoseconds),
    Column(heading: "p99.9", metric: .serverToUI, statistic: .p999, unit: .nanoseconds),
  ]

  /// The table under a title, and what follows from it.
  package static func text(
    title: String, axis: String, lines: [Line], rows: [ResultRow], conclusion: String? = nil,
    style: TextStyle
  ) -> String {
    let table = table(axis: axis, lines: lines, rows: rows)
    return style.paint(title, .strong) + "\n" + table.terminal(style: style, indent: 2)
      + (conclusion.map { "  → \($0)\n" } ?? "")
  }

  /// Sets the runs in a table, in their order.
  ///
  /// The share of samples within the target stands behind the percentiles of each.
  package static func table(axis: String, lines: [Line], rows: [ResultRow]) -> TextTable {
    let heading = { (columns: [Column]) in columns.map { TextTable.Column($0.heading, .right) } }
    let within = [TextTable.Column("within", .right)]
    var table = TextTable(
      columns: [TextTable.Column(axis, .right)] + heading(speed) + heading(updates) + within
        + heading(screens) + within + [TextTable.Column("verdict")])
    let shares = SharesWithinTarget(rows: rows)
    for line in lines {
      let own = rows.filter { $0.scenario == StageTable.scenario && $0.class == line.class }
      func cells(_ columns: [Column]) -> [TextTable.Cell] {
        columns.map { column in
          let value = own.first {
            $0.metric == column.metric && $0.statistic == column.statistic
          }?.value
          return TextTable.Cell(text(value, unit: column.unit))
        }
      }
      func share(_ metric: Metric) -> TextTable.Cell {
        TextTable.Cell(shares.text(metric, of: line.class) ?? "–")
      }
      table.append(
        [TextTable.Cell(line.value)] + cells(speed) + cells(updates) + [
          share(.updateToNotifyWithinTarget)
        ]
          + cells(screens) + [
            share(.serverToUIWithinTarget), TextTable.Cell(line.verdict, tone: line.tone),
          ])
    }
    return table
  }

  /// Events per second are shown as whole numbers, like the rates asked for.
  private static func text(_ value: MetricValue?, unit: MetricUnit) -> String {
    guard unit == .count else { return HumanNumber.text(value, unit: unit) }
    return value.map { HumanNumber.fixed($0.asDouble, decimals: 0) } ?? "–"
  }
}
