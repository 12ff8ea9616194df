package import Analysis
package import Metrics

/// The policies of one scenario, one line each, in the figures that people look at first.
package enum PolicyTable {
  private typealias Figure = (title: String, metric: String, statistic: Statistic)

  /// Hits are fresh or stale; what a policy is behind in the fresh ones stands beside them.
  private static let hits: [Figure] = [
    ("hits", "hit_ratio", .value),
    ("fresh", "fresh_hit_ratio", .value),
    ("stale", "stale_read_share", .value),
  ]
  private static let costs: [Figure] = [
    ("fetched", "bytes_fetched", .value),
    ("repeated", "bytes_wasted_identical", .value),
    ("weight", "resident_weight", .peak),
    ("memory", "predicted_bytes", .peak),
  ]

  /// What the columns mean that do not say it themselves.
  package static let legend = [
    "behind: points of fresh hit ratio behind the best; bounds do not compete and have none.",
    "repeated: bytes fetched again though nothing had changed.",
    "weight, memory: at the peak, of the values, and of the whole cache with them, as predicted.",
  ]

  /// Sets the policies of a scenario in a table; several seeds are shown as their mean.
  ///
  /// `behind` is a dash for the best policy and empty for a bound.
  ///
  /// - Parameters:
  ///   - choice: The scenario, who competed in it, and the winner, which is stressed.
  ///   - rows: All rows; those of other scenarios are left out.
  /// - Returns: One line per policy, in the order of the rows.
  package static func table(of choice: ScenarioChoice, rows: [ResultRow]) -> TextTable {
    let titles = hits.map(\.title) + ["behind"] + costs.map(\.title)
    var table = TextTable(
      columns: [TextTable.Column("policy")] + titles.map { TextTable.Column($0, .right) })
    let winner = choice.winner.flatMap { $0.decidedBy == .none ? nil : $0.winner.policy }
    let own = rows.filter {
      $0.scenario == choice.scenario && $0.class == "total" && !$0.policy.isEmpty
    }
    for policy in own.filter({ $0.metric == "reads" }).distinct(\.policy) {
      func cells(_ figures: [Figure]) -> [String] {
        figures.map { figure in
          HumanNumber.text(
            mean(of: figure.metric, figure.statistic, policy: policy, rows: own),
            unit: MetricRegistry.named(figure.metric)?.unit ?? .count)
        }
      }
      let texts = [policy] + cells(hits) + [behind(choice.deficit(of: policy))] + cells(costs)
      table.append(
        texts.map { TextTable.Cell($0, tone: policy == winner ? .strong : .plain) })
    }
    return table
  }

  private static func behind(_ deficit: Double?) -> String {
    guard let deficit else { return "" }
    return deficit == 0 ? "–" : HumanNumber.points(deficit)
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
