package import Analysis
package import Metrics

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
    var metric: String
    var statistic = Statistic.value
    var name = "single"

    /// In a CSV, such as `told_update_to_notify_p50_nanoseconds`.
    func heading(ofMetric metric: String) -> String {
      let base = statistic == .value ? metric : "\(metric)_\(statistic.rawValue)"
      let unit = MetricRegistry.named(metric)?.unit.rawValue ?? ""
      let part = name.hasPrefix("single/") ? "\(name.dropFirst(7))_" : ""
      return part + base
        + (base.hasSuffix("_\(unit)") ? "" : "_\(unit)")
    }
  }

  private static let columns = [
    Column(title: "hits", metric: "hit_ratio", name: "all"),
    Column(title: "measured", metric: "measured_hit_ratio", name: "all"),
    Column(title: "notify p50", metric: "update_to_notify", statistic: .p50),
    Column(title: "p99", metric: "update_to_notify", statistic: .p99),
    Column(title: "p99.9", metric: "update_to_notify", statistic: .p999),
    Column(title: "told p50", metric: "update_to_notify", statistic: .p50, name: "single/told"),
    Column(title: "p99", metric: "update_to_notify", statistic: .p99, name: "single/told"),
    Column(title: "apps p50", metric: "update_to_notify", statistic: .p50, name: "single/apps"),
    Column(title: "own p50", metric: "event_cost", statistic: .p50),
    Column(title: "p99", metric: "event_cost", statistic: .p99),
    Column(title: "p99.9", metric: "event_cost", statistic: .p999),
    Column(title: "ui p99", metric: "server_to_ui", statistic: .p99),
    Column(title: "frame p99", metric: "notify_to_ui", statistic: .p99),
    Column(title: "read p50", metric: "read_latency", statistic: .p50, name: "hit"),
    Column(title: "p99", metric: "read_latency", statistic: .p99, name: "hit"),
    Column(title: "B/entity", metric: "store_bytes_per_entity", name: "total"),
    Column(title: "store", metric: "store_bytes", name: "total"),
    Column(title: "index", metric: "query_index_bytes", name: "total"),
    Column(title: "memory", metric: "cache_total_bytes", name: "total"),
  ]

  /// What the control has instead.
  private static let controls = [
    "update_to_notify": "control_notify", "event_cost": "control_event_cost",
  ]

  /// The table, what its columns mean, and what came of the targets.
  package static func text(
    _ rows: [ResultRow], judgements: [TargetJudgement], style: TextStyle
  ) -> String {
    table(rows).terminal(style: style, indent: 2) + legend.map { "  \($0)\n" }.joined() + "\n"
      + style.paint("targets", .strong) + "\n"
      + TargetTable.table(judgements, rows: rows).terminal(style: style, indent: 2)
  }

  /// One line per policy with all that the table has and the control's figures beside it; units are in
  /// the names of the columns, and an empty cell is a value that could not be measured.
  ///
  /// - Throws: ``ExportError`` for a number that no text stands for.
  package static func csv(_ rows: [ResultRow]) throws(ExportError) -> [UInt8] {
    let beside = columns.filter { controls[$0.metric] != nil && $0.name == "single" }
    var writer = CSVWriter()
    for name in ["scenario", "policy", "first_seed", "single_events", "events_told"]
      + columns.map({ $0.heading(ofMetric: $0.metric) })
      + beside.map({ $0.heading(ofMetric: controls[$0.metric] ?? "") })
    {
      writer.plain(name)
    }
    writer.endLine()
    for line in rows.filter({ !$0.policy.isEmpty }).distinct({ [$0.scenario, $0.policy] }) {
      let own = rows.filter { [$0.scenario, $0.policy] == line }
      let control = rows.filter { $0.scenario == line[0] && $0.policy.isEmpty }
      func row(_ metric: String, _ column: Column, in rows: [ResultRow]) -> ResultRow? {
        rows.first {
          $0.metric == metric && $0.statistic == column.statistic.rawValue
            && $0.class == column.name
        }
      }
      func samples(_ name: String) -> String {
        own.first { $0.metric == "update_to_notify" && $0.class == name }?.sampleCount
          .map(String.init) ?? ""
      }
      writer.text(line[0])
      writer.text(line[1])
      writer.plain(own.first?.seed.map(String.init) ?? "")
      writer.plain(samples("single"))
      writer.plain(samples("single/told"))
      for column in columns {
        writer.plain(try row(column.metric, column, in: own)?.machineValue() ?? "")
      }
      for column in beside {
        let metric = controls[column.metric] ?? ""
        writer.plain(try row(metric, column, in: control)?.machineValue() ?? "")
      }
      writer.endLine()
    }
    return writer.bytes
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
          $0.metric == metric && $0.statistic == column.statistic.rawValue
            && $0.class == column.name
        }.map { HumanNumber.text($0.value, unit: MetricRegistry.named(metric)?.unit ?? .count) }
          ?? ""
      }
      table.append(([policy.isEmpty ? "control" : policy] + cells).map { TextTable.Cell($0) })
    }
    return table
  }
}
