package import ResultModel

/// Targets as a child process tells them to its parent: of each its scenario, metric, statistic, class,
/// comparison, limit, unavoidable part and policies.
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

  /// Reads what ``text(_:)`` wrote.
  ///
  /// - Throws: ``ChildTextError`` for anything else; nothing is guessed.
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
