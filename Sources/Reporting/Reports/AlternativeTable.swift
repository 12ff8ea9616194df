package import Analysis
package import ResultModel

/// The alternatives of one workload, compared: the median of each stage and of the total, as multiples of the
/// cache under test; the total with its interval and tail.
package enum AlternativeTable {
  /// The scenario column of a comparison's rows.
  package static let scenario = "alternatives"
  private static let parts: [Metric] = [.apply, .notify]
  /// The total, shown with its interval and tail.
  private static let whole = Metric.eventCost
  private static let control = Metric.controlEventCost

  /// Returns the workloads with rows, in the order of the rows.
  package static func classes(of rows: [ResultRow]) -> [ResultClass] {
    rows.filter { $0.metric == whole }.distinct(\.class)
  }

  /// Returns the table of one workload.
  package static func table(of name: ResultClass, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("alternative")]
        + (parts.map(\.name) + ["both"]).flatMap {
          [TextTable.Column($0, .right), TextTable.Column("× ours", .right)]
        }
        + [TextTable.Column("p99", .right), TextTable.Column("p99.9", .right)])
    let own = rows.filter { $0.class == name }
    for policy in own.filter({ $0.metric == whole }).distinct(\.policy) {
      let alternative = own.filter { $0.policy == policy }
      func time(_ metric: Metric, _ statistic: Statistic) -> String {
        HumanNumber.text(alternative.value(metric, statistic)?.value, unit: .nanoseconds)
      }
      table.append(
        [policy]
          + parts.flatMap { part in
            [
              time(part, .p50),
              ratio(
                part.alternativeRatio.flatMap { alternative.value($0, .p50) }, showsInterval: false),
            ]
          }
          + [
            time(whole, .p50), ratio(alternative.value(.eventCostRatio, .p50), showsInterval: true),
            time(whole, .p99), time(whole, .p999),
          ])
    }
    let control = own.filter { $0.metric == Self.control }
    if !control.isEmpty {
      let times = [Statistic.p50, .p99, .p999].map {
        HumanNumber.text(control.value(Self.control, $0)?.value, unit: .nanoseconds)
      }
      table.append(["(control)", "", "", "", "", times[0], ""] + times[1...])
    }
    return table
  }

  /// Returns the ratio with its interval, as in 61 (58–64).
  private static func ratio(_ row: ResultRow?, showsInterval: Bool) -> String {
    guard let row else { return "" }
    guard let value = row.value?.asDouble else { return "–" }
    guard showsInterval, let interval = row.confidenceInterval else { return short(value) }
    return "\(short(value)) (\(short(interval.lowerBound))–\(short(interval.upperBound)))"
  }

  private static func short(_ ratio: Double) -> String {
    HumanNumber.fixed(ratio, decimals: ratio < 10 ? 2 : ratio < 100 ? 1 : 0)
  }
}

extension [ResultRow] {
  fileprivate func value(_ metric: Metric, _ statistic: Statistic) -> ResultRow? {
    first { $0.metric == metric && $0.statistic == statistic }
  }
}

/// The output of `alternatives`: a table for each workload, and the targets.
package enum AlternativeReport {
  package static func text(
    _ rows: [ResultRow], judgements: [TargetJudgement], style: TextStyle
  ) -> String {
    let workloads = AlternativeTable.classes(of: rows).map { name in
      (title(of: name), AlternativeTable.table(of: name, rows: rows))
    }
    let targets = judgements.isEmpty ? [] : [("targets", TargetTable.table(judgements))]
    return (workloads + targets)
      .map { title, table in
        style.paint(title, .strong) + "\n" + table.terminal(style: style, indent: 2)
      }
      .joined(separator: "\n")
  }

  static func title(of name: ResultClass) -> String {
    switch name.pace {
    case .backToBack: "\(name.subject), back to back (medians)"
    case .openLoop: "\(name.subject), open loop (medians)"
    }
  }
}
