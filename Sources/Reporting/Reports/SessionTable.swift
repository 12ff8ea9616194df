package import Analysis
package import ResultModel

/// The policies of one scenario on the real cache, one line each.
package enum SessionTable {
  /// The meaning of columns that are not self-explanatory.
  package static let legend = [
    "hits: share of the user's reads, by the simulator; measured: by the cache that was measured.",
    "notify: single events, received to the last observer's call or, where none is concerned, the commit; decoding included.",
    "notified: those of them that concern an observer. apps: all, by EventCacheUpdater, with CachedQueryClients.",
    "own: from decoded on. control: the same path without a cache.",
    "ui: sent by the server to drawn at 60 Hz; frame: observer to drawn. read: of a hit.",
  ]

  private struct Column {
    var title: String
    var metric: Metric
    var statistic = Statistic.value
    var name: ResultClass = "single"
  }

  private static let columns = [
    Column(title: "hits", metric: .hitRatio, name: .all),
    Column(title: "measured", metric: .measuredHitRatio, name: .all),
    Column(title: "notify p50", metric: .updateToNotify, statistic: .p50),
    Column(title: "p99", metric: .updateToNotify, statistic: .p99),
    Column(title: "p99.9", metric: .updateToNotify, statistic: .p999),
    Column(
      title: "notified p50", metric: .updateToNotify, statistic: .p50, name: "single/notified"),
    Column(title: "p99", metric: .updateToNotify, statistic: .p99, name: "single/notified"),
    Column(title: "apps p50", metric: .updateToNotify, statistic: .p50, name: "single/apps"),
    Column(title: "own p50", metric: .eventCost, statistic: .p50),
    Column(title: "p99", metric: .eventCost, statistic: .p99),
    Column(title: "p99.9", metric: .eventCost, statistic: .p999),
    Column(title: "ui p99", metric: .serverToUI, statistic: .p99),
    Column(title: "frame p99", metric: .notifyToUI, statistic: .p99),
    Column(title: "read p50", metric: .readLatency, statistic: .p50, name: "hit"),
    Column(title: "p99", metric: .readLatency, statistic: .p99, name: "hit"),
  ]

  /// The corresponding metrics of the control.
  private static let controls: [Metric: Metric] = [
    .updateToNotify: .controlNotify, .eventCost: .controlEventCost,
  ]

  /// Returns the tables, the meaning of their columns, and the results of targets, if any.
  package static func text(
    _ rows: [ResultRow], judgements: [TargetJudgement], style: TextStyle
  ) -> String {
    let targets =
      judgements.isEmpty
      ? ""
      : "\n" + style.paint("targets", .strong) + "\n"
        + TargetTable.table(judgements, rows: rows).terminal(style: style, indent: 2)
    return table(rows).terminal(style: style, indent: 2) + legend.map { "  \($0)\n" }.joined()
      + (MemoryTable.section(rows, style: style).map { "\n" + $0 } ?? "") + targets
  }

  /// Returns the table of policies, in the order of the rows, followed by the control.
  package static func table(_ rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("policy")]
        + columns.map { TextTable.Column($0.title, .right) })
    for policy in rows.distinct(\.policy) {
      let own = rows.filter { $0.policy == policy }
      let cells = columns.map { column in
        let metric =
          policy.isEmpty ? controls[column.metric] ?? column.metric : column.metric
        return own.first {
          $0.metric == metric && $0.statistic == column.statistic
            && $0.class == column.name
        }.map { HumanNumber.text($0.value, unit: metric.unit) }
          ?? ""
      }
      table.append(([policy.isEmpty ? "control" : policy] + cells).map { TextTable.Cell($0) })
    }
    return table
  }
}

/// The memory of policies' caches with typed values, counted by the allocator, compared with predictions.
package enum MemoryTable {
  private static let legend =
    "at the first client's peak, of typed values. entities, lists: parts of counted. predicted: by `simulate`, of "
    + "values as large as their JSON."

  private static let columns: [(title: String, metric: Metric, statistic: Statistic)] = [
    ("B/entity", .storeBytesPerEntity, .value), ("entities", .storeBytes, .value),
    ("lists", .queryIndexBytes, .value), ("counted", .cacheTotalBytes, .value),
    ("predicted", .predictedBytes, .peak),
  ]

  /// Returns whether a row is of a cache in this table.
  static func shows(_ row: ResultRow, in rows: [ResultRow]) -> Bool {
    guard row.metric == .countErrorShare || columns.contains(where: { $0.metric == row.metric })
    else { return false }
    return rows.contains { $0.metric == .storeBytes && $0.scenario == row.scenario }
  }

  /// Returns a title, the table and the meaning of its columns.
  ///
  /// - Parameters:
  ///   - rows: rows of any scenarios and metrics.
  ///   - style: the text style.
  /// - Returns: `nil` if nothing was counted.
  package static func section(_ rows: [ResultRow], style: TextStyle) -> String? {
    let lines = rows.filter { $0.metric == .storeBytes && $0.class == .total }
    guard let first = lines.first else { return nil }
    var table = TextTable(
      columns: [.init("scenario"), .init("policy"), .init("resident", .right)]
        + columns.map { .init($0.title, .right) })
    for line in lines {
      let isOne = lines.allSatisfy { $0.scenario == first.scenario }
      let cells = columns.map { column in
        rows.first {
          $0.scenario == line.scenario && $0.policy == line.policy && $0.class == .total
            && $0.metric == column.metric && $0.statistic == column.statistic
        }.map { HumanNumber.text($0.value, unit: column.metric.unit) } ?? ""
      }
      table.append(
        [
          isOne ? "" : line.scenario, line.policy,
          line.sampleCount.map { HumanNumber.count(Double($0)) } ?? "",
        ] + cells)
    }
    return style.paint("memory in real caches, on this machine", .strong) + "\n"
      + table.withoutEmptyColumns().terminal(style: style, indent: 2) + "  \(legend)\n"
  }
}
