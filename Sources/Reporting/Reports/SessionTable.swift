package import Analysis
package import ResultModel

/// The policies of one scenario on the real cache, one line each.
package enum SessionTable {
  /// The legend of columns that need one.
  private static let legend = [
    "hits: share of the first client's reads, by the simulator; measured: by the cache that was measured.",
    "notify: single events, received to the last observer's call or, where none is concerned, the commit; decoding included.",
    "notified: those of them that concern an observer. apps: all, by EventCacheUpdater, with CachedQueryClients.",
    "own: from decoded on. control: the same path without a cache.",
    "ui: sent by the server to drawn at 60 Hz; frame: observer to drawn.",
    "read: of a hit. view: of one that a view appears with, its observation included.",
  ]

  private struct Column {
    var subject: String
    var metric: Metric
    var statistic = Statistic.value
    var name: ResultClass = "single"

    func title(after other: Column?) -> String {
      let words = [
        other?.subject == subject ? nil : subject, statistic == .value ? nil : statistic.rawValue,
      ]
      return words.compactMap(\.self).joined(separator: " ")
    }
  }

  private static let columns = [
    Column(subject: "hits", metric: .hitRatio, name: .all),
    Column(subject: "measured", metric: .measuredHitRatio, name: .all),
    Column(subject: "notify", metric: .updateToNotify, statistic: .p50),
    Column(subject: "notify", metric: .updateToNotify, statistic: .p99),
    Column(subject: "notify", metric: .updateToNotify, statistic: .p999),
    Column(subject: "notified", metric: .updateToNotify, statistic: .p50, name: "single/notified"),
    Column(subject: "notified", metric: .updateToNotify, statistic: .p99, name: "single/notified"),
    Column(subject: "apps", metric: .updateToNotify, statistic: .p50, name: "single/apps"),
    Column(subject: "own", metric: .eventCost, statistic: .p50),
    Column(subject: "own", metric: .eventCost, statistic: .p99),
    Column(subject: "own", metric: .eventCost, statistic: .p999),
    Column(subject: "ui", metric: .serverToUI, statistic: .p99),
    Column(subject: "frame", metric: .notifyToUI, statistic: .p99),
    Column(subject: "read", metric: .readLatency, statistic: .p50, name: "hit"),
    Column(subject: "read", metric: .readLatency, statistic: .p99, name: "hit"),
    Column(subject: "view", metric: .readLatency, statistic: .p50, name: "view"),
    Column(subject: "view", metric: .readLatency, statistic: .p99, name: "view"),
  ]

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
    return section(rows, style: style)
      + (MemoryTable.section(rows, style: style).map { "\n" + $0 } ?? "") + targets
  }

  /// The policies in a table, in the order of the rows, the control behind them, and, if asked for, what the columns
  /// mean: those of which something was measured.
  static func section(_ rows: [ResultRow], style: TextStyle, hasLegend: Bool = true) -> String {
    let policies = rows.distinct(\.policy)
    let own = columns.map { column in policies.map { row(of: $0, in: column, rows) } }
    let shown = columns.indices.filter { own[$0].contains { $0?.value != nil } }
    let titles = shown.enumerated().map { place, column in
      columns[column].title(after: place > 0 ? columns[shown[place - 1]] : nil)
    }
    var table = TextTable(
      columns: [TextTable.Column("policy")] + titles.map { TextTable.Column($0, .right) })
    for (place, policy) in policies.enumerated() {
      let cells = shown.map { column in
        own[column][place].map { HumanNumber.text($0.value, unit: $0.metric.unit) } ?? ""
      }
      guard cells.contains(where: { !$0.isEmpty }) else { continue }
      table.append(([policy.isEmpty ? "control" : policy] + cells).map { TextTable.Cell($0) })
    }
    let words = legend.filter { line in
      hasLegend && shown.contains { line.hasPrefix("\(columns[$0].subject):") }
    }
    return table.terminal(style: style, indent: 2)
      + (words + [fewSamples(own)].compactMap(\.self)).map { "  \($0)\n" }.joined()
  }

  private static func row(
    of policy: String, in column: Column, _ rows: [ResultRow]
  ) -> ResultRow? {
    let metric = policy.isEmpty ? controls[column.metric] ?? column.metric : column.metric
    return rows.first {
      $0.policy == policy && $0.metric == metric && $0.statistic == column.statistic
        && $0.class == column.name
    }
  }

  /// The maximum number of them that are named.
  private static let mostFew = 3

  /// Metrics without a value although something was measured.
  private static func fewSamples(_ rows: [[ResultRow?]]) -> String? {
    let few = zip(columns, rows).compactMap { column, rows -> String? in
      let counts = rows.compactMap(\.self).filter { $0.value == nil }.compactMap(\.sampleCount)
      guard let most = counts.max(), most > 0 else { return nil }
      return "\(column.title(after: nil)) (\(most))"
    }
    guard !few.isEmpty else { return nil }
    let more = few.count > mostFew + 1 ? few.count - mostFew : 0
    return "too few samples for " + few.prefix(few.count - more).joined(separator: ", ")
      + (more > 0 ? " + \(more)" : "")
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

  /// Returns a title, the table and, if asked for, the meaning of its columns.
  package static func section(
    _ rows: [ResultRow], style: TextStyle, hasLegend: Bool = true
  ) -> String? {
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
      + table.withoutEmptyColumns().terminal(style: style, indent: 2)
      + (hasLegend ? "  \(legend)\n" : "")
  }
}

extension [ResultRow] {
  /// The rows grouped by policy, in the order of their first ones, those without a policy last.
  package var groupedByPolicy: [ResultRow] {
    let names = distinct(\.policy).filter { !$0.isEmpty } + [""]
    return names.flatMap { name in filter { $0.policy == name } }
  }
}
