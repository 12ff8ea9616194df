package import Metrics

/// The wide form: one line per scenario, policy and seed, units in the column names.
package enum SummaryTable {
  /// A selected metric; its column is named `metric_statistic_unit`.
  struct Column: Hashable {
    let metric: String
    let statistic: Statistic

    init(_ metric: String, _ statistic: Statistic = .value) {
      self.metric = metric
      self.statistic = statistic
    }

    /// Without what would be said twice: the statistic `value`, a unit that ends the name already.
    var name: String {
      let unit = MetricRegistry.named(metric)?.unit.rawValue ?? ""
      let base = statistic == .value ? metric : "\(metric)_\(statistic.rawValue)"
      return base.hasSuffix("_\(unit)") ? base : "\(base)_\(unit)"
    }
  }

  static let columns: [Column] = [
    Column("reads"), Column("hit_ratio"), Column("fresh_hit_ratio"), Column("stale_read_share"),
    Column("served_expired"), Column("staleness_age", .p50), Column("staleness_age", .p95),
    Column("staleness_age", .max), Column("hit_fresh"), Column("hit_stale"), Column("partial"),
    Column("miss_cold"), Column("miss_expired"),
    Column("miss_evicted"), Column("miss_invalidated"), Column("coalesced"), Column("bypass"),
    Column("failed"),
    Column("fetches"), Column("bytes_fetched"), Column("bytes_pushed"), Column("bytes_saved"),
    Column("bytes_wasted_identical"), Column("notifications"),
    Column("notifications_spurious"), Column("notifications_missed"),
    Column("divergent_entities"), Column("divergent_queries"), Column("gaps_detected"),
    Column("resident_entities", .peak), Column("resident_weight", .peak),
    Column("resident_weight", .mean), Column("predicted_bytes", .peak), Column("evictions"),
    Column("retained_overflow"),
  ]

  private struct Line: Hashable {
    let scenario: String
    let policy: String
    let seed: UInt64?
  }

  /// The wide CSV: lines and query classes in the order of their first row.
  package static func csv(_ rows: [ResultRow]) throws(ExportError) -> [UInt8] {
    let classes = rows.filter { $0.metric == "hit_ratio" && $0.class != "total" }.distinct(\.class)
    var writer = CSVWriter()
    for column in ["scenario", "policy", "seed"] + columns.map(\.name) { writer.plain(column) }
    for name in classes { writer.text("hit_ratio_\(name)") }
    writer.endLine()
    let byIdentity = Dictionary(
      rows.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    let lines = rows.distinct {
      Line(scenario: $0.scenario, policy: $0.policy, seed: $0.seed)
    }
    for line in lines {
      writer.text(line.scenario)
      writer.text(line.policy)
      writer.plain(line.seed.map(String.init) ?? "")
      let cells =
        columns.map { (column: $0, class: "total") }
        + classes.map { (column: Column("hit_ratio"), class: $0) }
      for cell in cells {
        let row =
          byIdentity[
            ResultRow(
              scenario: line.scenario, policy: line.policy, seed: line.seed, class: cell.class,
              metric: cell.column.metric, statistic: cell.column.statistic.rawValue, value: nil
            ).identity]
        writer.plain(try row?.machineValue() ?? "")
      }
      writer.endLine()
    }
    return writer.bytes
  }
}

extension ResultRow {
  fileprivate func machineValue() throws(ExportError) -> String? {
    guard let value else { return nil }
    return try number(value)
  }
}
