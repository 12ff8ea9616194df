package import Metrics

/// The wide form: one line per scenario, policy and seed, units in the column names; a line without a seed
/// stands for several.
package enum SummaryTable {
  /// A selected metric; its column is named `metric_statistic_unit`, behind the class where that is not
  /// all that the user reads.
  struct Column: Hashable {
    let metric: String
    let statistic: Statistic
    let `class`: String

    init(_ metric: String, _ statistic: Statistic = .value, class: String? = nil) {
      self.metric = metric
      self.statistic = statistic
      self.class = `class` ?? (MetricRegistry.isOfReads(metric) ? "all" : "total")
    }

    /// Without what would be said twice: the statistic `value`, a unit that ends the name already.
    var name: String {
      let unit = MetricRegistry.named(metric)?.unit.rawValue ?? ""
      let base = statistic == .value ? metric : "\(metric)_\(statistic.rawValue)"
      let isSaid = base.hasSuffix("_\(unit)")
      let isOfPart = MetricRegistry.isOfReads(metric) && self.class != "all"
      return (isOfPart ? "\(self.class)_" : "") + (isSaid ? base : "\(base)_\(unit)")
    }
  }

  static let columns: [Column] =
    [
      Column("reads"), Column("hit_ratio"), Column("fresh_hit_ratio"), Column("stale_read_share"),
      Column("read_wait", .mean), Column("read_wait", .p95), Column("slow_read_share"),
      Column("abandoned"), Column("impossible_action_share"),
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
      Column("retained_overflow"), Column("over_limit", .peak),
    ]
    + ["file", "album-tag", "search", "entity", "total", "first", "redraw"].flatMap {
      [Column("reads", class: $0), Column("hit_ratio", class: $0)]
    } + [Column("fresh_hit_ratio", class: "worst-client")]

  /// Whether a row is shown in the table.
  package static func shows(_ row: ResultRow) -> Bool {
    keys.contains(Key(metric: row.metric, statistic: row.statistic, class: row.class))
  }

  private struct Key: Hashable {
    let metric: String
    let statistic: String
    let `class`: String
  }

  // Looked up, never iterated.
  private static let keys = Set(
    columns.map { Key(metric: $0.metric, statistic: $0.statistic.rawValue, class: $0.class) })

  private struct Line: Hashable {
    let scenario: String
    let policy: String
    let seed: UInt64?
  }

  /// The wide CSV, lines in the order of their first row.
  package static func csv(_ rows: [ResultRow]) throws(ExportError) -> [UInt8] {
    var writer = CSVWriter()
    for column in ["scenario", "policy", "seed"] + columns.map(\.name) { writer.plain(column) }
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
      for column in columns {
        let row =
          byIdentity[
            ResultRow(
              scenario: line.scenario, policy: line.policy, seed: line.seed, class: column.class,
              metric: column.metric, statistic: column.statistic.rawValue, value: nil
            ).identity]
        writer.plain(try row?.machineValue() ?? "")
      }
      writer.endLine()
    }
    return writer.bytes
  }
}

extension ResultRow {
  /// The value in full precision; `nil` where there is none.
  ///
  /// - Throws: ``ExportError`` for a number that no text stands for.
  func machineValue() throws(ExportError) -> String? {
    guard let value else { return nil }
    return try number(value)
  }
}
