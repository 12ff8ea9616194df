package import ResultModel

/// The share of fresh reads of some policies over all scenarios: one line per scenario.
package enum FreshReadsTable {
  /// - Parameters:
  ///   - policies: The columns.
  ///   - rows: One of each kind; a mean over seeds has its ±.
  /// - Returns: A dash where a scenario has not that policy.
  package static func table(of policies: [String], rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("scenario")] + policies.map { TextTable.Column($0, .right) })
    let own = rows.filter { $0.class == "all" && $0.metric == .freshHitRatio }
    for scenario in own.distinct(\.scenario) {
      let cells = policies.map { policy -> String in
        let row = own.first { $0.scenario == scenario && $0.policy == policy }
        guard let row, let value = row.value?.asDouble else { return "–" }
        let half = row.confidenceInterval.map { ($0.upperBound - $0.lowerBound) / 2 }
        return HumanNumber.fixed(value * 100, decimals: 1)
          + (half.map { " ± " + HumanNumber.fixed($0 * 100, decimals: 1) } ?? "")
      }
      table.append([scenario] + cells)
    }
    return table
  }
}
