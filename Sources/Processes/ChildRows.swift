package import ResultModel

/// The text format for rows from a child process: scenario, policy, class, metric, statistic, value and
/// sample count.
package enum ChildRows {
  private static let header = "tidemark-rows 3"

  package static func text(_ rows: [ResultRow]) -> String {
    ChildText.write(
      header,
      rows.map { row in
        let value =
          switch row.value {
          case .integer(let number): "\(number)"
          case .real(let number): "\(number)r"
          case nil: ""
          }
        return [
          row.scenario, row.policy, "\(row.class)", row.metric.name, row.statistic.rawValue, value,
          row.sampleCount.map { "\($0)" } ?? "",
        ]
      })
  }

  /// Parses the text of ``text(_:)``.
  package static func rows(in text: String, seed: UInt64) throws(ChildTextError) -> [ResultRow] {
    try ChildText.read(text, header) { row(of: $0, seed: seed) }
  }

  private static func row(of fields: [String], seed: UInt64) -> ResultRow? {
    guard fields.count == 7, let metric = MetricRegistry.named(fields[3]),
      let name = ResultClass(text: fields[2]),
      let statistic = Statistic(rawValue: fields[4]), metric.statistics.contains(statistic)
    else { return nil }
    var value: MetricValue?
    if fields[5].hasSuffix("r") {
      guard let number = Double(fields[5].dropLast()), number.isFinite else { return nil }
      value = .real(number)
    } else if !fields[5].isEmpty {
      guard let number = Int64(fields[5]) else { return nil }
      value = .integer(number)
    }
    guard fields[6].isEmpty || Int(fields[6]) != nil else { return nil }
    return ResultRow(
      scenario: fields[0], policy: fields[1], seed: seed, class: name, metric: metric,
      statistic: statistic, value: value, sampleCount: Int(fields[6]))
  }
}

/// The text format for targets from a child process: scenario, metric, statistic, class, comparison, limit,
/// unavoidable part and policies.
package enum ChildTargets {
  private static let header = "tidemark-targets 1"

  package static func text(_ targets: [Target]) -> String {
    ChildText.write(
      header,
      targets.map { target in
        [
          target.scenario, target.metric.name, target.statistic.rawValue, "\(target.class)",
          target.comparison.rawValue, "\(target.limit)", "\(target.unavoidable)",
        ] + target.policies
      })
  }

  /// Parses the text of ``text(_:)``.
  package static func targets(in text: String) throws(ChildTextError) -> [Target] {
    try ChildText.read(text, header) { fields in
      guard fields.count >= 7, let metric = MetricRegistry.named(fields[1]),
        let statistic = Statistic(rawValue: fields[2]), let name = ResultClass(text: fields[3]),
        let comparison = Target.Comparison(rawValue: fields[4]), let limit = Double(fields[5]),
        limit.isFinite, let unavoidable = Double(fields[6]), unavoidable.isFinite
      else { return nil }
      return Target(
        scenario: fields[0], metric: metric, statistic: statistic, class: name,
        comparison: comparison, limit: limit, unavoidable: unavoidable,
        policies: Array(fields.dropFirst(7)))
    }
  }
}
