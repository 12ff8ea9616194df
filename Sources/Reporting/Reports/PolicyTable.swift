package import Metrics

/// The policies of one scenario, one line each, in the figures that people look at first.
package enum PolicyTable {
  private static let figures: [(title: String, metric: String, statistic: Statistic)] = [
    ("hits", "hit_ratio", .value),
    ("fresh hits", "fresh_hit_ratio", .value),
    ("stale reads", "stale_read_share", .value),
    ("fetched", "bytes_fetched", .value),
    ("peak weight", "resident_weight", .peak),
    ("evictions", "evictions", .value),
  ]

  /// Sets the policies of a scenario in a table; several seeds are shown as their mean.
  ///
  /// - Parameters:
  ///   - scenario: The scenario whose rows are shown.
  ///   - rows: All rows; those of other scenarios are left out.
  ///   - winner: The policy to stress, if there is one.
  /// - Returns: One line per policy, in the order of the rows.
  package static func table(
    of scenario: String, rows: [ResultRow], winner: String?
  ) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("policy")]
        + figures.map { TextTable.Column($0.title, .right) })
    let own = rows.filter {
      $0.scenario == scenario && $0.class == "total" && !$0.policy.isEmpty
    }
    for policy in own.filter({ $0.metric == "reads" }).distinct(\.policy) {
      let cells = figures.map { figure in
        HumanNumber.text(
          mean(of: figure.metric, figure.statistic, policy: policy, rows: own),
          unit: MetricRegistry.named(figure.metric)?.unit ?? .count)
      }
      table.append(
        ([policy] + cells).map { TextTable.Cell($0, tone: policy == winner ? .strong : .plain) })
    }
    return table
  }

  private static func mean(
    of metric: String, _ statistic: Statistic, policy: String, rows: [ResultRow]
  ) -> MetricValue? {
    let found = rows.filter {
      $0.policy == policy && $0.metric == metric && $0.statistic == statistic.rawValue
    }
    let values = found.compactMap { $0.value }
    guard let first = values.first, values.count == found.count else { return nil }
    guard values.count > 1 else { return first }
    return .real(values.reduce(0) { $0 + $1.asDouble } / Double(values.count))
  }
}
