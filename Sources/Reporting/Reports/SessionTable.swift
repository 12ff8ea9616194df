package import Analysis
package import ResultModel

/// The policies of one scenario as the real cache carried them out, one line each.
package enum SessionTable {
  /// What the columns mean that do not say it themselves.
  package static let legend = [
    "hits: share of the user's reads, by the simulator; measured: by the cache that was measured.",
    "notify: single events, received to the last observer's call or, where none is concerned, the commit; decoding included.",
    "told: those of them that concern an observer. apps: all, by EventCacheUpdater, beside CachedQueryClients.",
    "own: from decoded on. control: the same path without a cache.",
    "ui: sent by the server to drawn at 60 Hz; frame: observer to drawn. read: of a hit.",
    "store, index: of the memory, the entities and the lists.",
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
    Column(title: "told p50", metric: .updateToNotify, statistic: .p50, name: "single/told"),
    Column(title: "p99", metric: .updateToNotify, statistic: .p99, name: "single/told"),
    Column(title: "apps p50", metric: .updateToNotify, statistic: .p50, name: "single/apps"),
    Column(title: "own p50", metric: .eventCost, statistic: .p50),
    Column(title: "p99", metric: .eventCost, statistic: .p99),
    Column(title: "p99.9", metric: .eventCost, statistic: .p999),
    Column(title: "ui p99", metric: .serverToUI, statistic: .p99),
    Column(title: "frame p99", metric: .notifyToUI, statistic: .p99),
    Column(title: "read p50", metric: .readLatency, statistic: .p50, name: "hit"),
    Column(title: "p99", metric: .readLatency, statistic: .p99, name: "hit"),
    Column(title: "B/entity", metric: .storeBytesPerEntity, name: .total),
    Column(title: "store", metric: .storeBytes, name: .total),
    Column(title: "index", metric: .queryIndexBytes, name: .total),
    Column(title: "memory", metric: .cacheTotalBytes, name: .total),
  ]

  /// What the control has instead.
  private static let controls: [Metric: Metric] = [
    .updateToNotify: .controlNotify, .eventCost: .controlEventCost,
  ]

  /// The table, what its columns mean, and what came of the targets.
  package static func text(
    _ rows: [ResultRow], judgements: [TargetJudgement], style: TextStyle
  ) -> String {
    table(rows).terminal(style: style, indent: 2) + legend.map { "  \($0)\n" }.joined() + "\n"
      + style.paint("targets", .strong) + "\n"
      + TargetTable.table(judgements, rows: rows).terminal(style: style, indent: 2)
  }

  /// Sets the policies in a table, in the order of the rows, and the control behind them.
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
