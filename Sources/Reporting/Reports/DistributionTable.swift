package import ResultModel

/// Sampled and counted metrics, one line per metric and class, one column per statistic.
package enum DistributionTable {
  private struct Line: Hashable {
    let scenario: String
    let policy: String
    let `class`: ResultClass
    let metric: Metric
  }

  /// The table of the rows; an en dash is a value that could not be measured, and a column that
  /// says nothing is left out, as is the scenario where the metric says it already.
  package static func table(_ rows: [ResultRow], showsScenario: Bool = true) -> TextTable {
    let statistics = Statistic.allCases.filter { statistic in
      rows.contains { $0.statistic == statistic }
    }
    var table = TextTable(
      columns: [
        TextTable.Column("metric"), TextTable.Column("class"), TextTable.Column("scenario"),
        TextTable.Column("policy"), TextTable.Column("n", .right),
      ] + statistics.map { TextTable.Column($0.rawValue, .right) })
    let lines = rows.distinct {
      Line(scenario: $0.scenario, policy: $0.policy, class: $0.class, metric: $0.metric)
    }
    for line in lines {
      let own = rows.filter {
        $0.scenario == line.scenario && $0.policy == line.policy && $0.class == line.class
          && $0.metric == line.metric
      }
      let count = own.compactMap(\.sampleCount).max()
      let cells = statistics.map { statistic in
        own.first { $0.statistic == statistic }
          .map { HumanNumber.text($0.value, unit: line.metric.unit) } ?? ""
      }
      table.append(
        [
          line.metric.name, "\(line.class)", showsScenario ? line.scenario : "", line.policy,
          count.map { HumanNumber.count(Double($0)) } ?? "",
        ] + cells)
    }
    return table.withoutEmptyColumns()
  }
}
