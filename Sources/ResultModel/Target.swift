/// A limit that a scenario sets on one metric, and its policies.
package struct Target: Hashable, Sendable {
  package enum Comparison: String, Hashable, Sendable, CaseIterable {
    case atLeast = "at_least"
    case atMost = "at_most"
  }

  package var scenario: String
  package var metric: Metric
  package var statistic: Statistic
  package var `class`: ResultClass
  package var comparison: Comparison
  /// In the unit of the metric.
  package var limit: Double
  /// The unavoidable part of the limit: for the time to a screen, a whole frame.
  ///
  /// In the unit of the metric. Noise is compared with the rest of the limit.
  package var unavoidable: Double
  /// The policies of the target; empty if the metric has no policy (a machine, a control).
  package var policies: [String]

  package init(
    scenario: String, metric: Metric, statistic: Statistic = .value, class: ResultClass = .total,
    comparison: Comparison, limit: Double, unavoidable: Double = 0, policies: [String]
  ) {
    self.scenario = scenario
    self.metric = metric
    self.statistic = statistic
    self.class = `class`
    self.comparison = comparison
    self.limit = limit
    self.unavoidable = unavoidable
    self.policies = policies
  }

  /// The target without its limit: its key in a baseline.
  ///
  /// - Parameter policy: `nil`: all policies, which are not named.
  /// - Returns: the path of a field.
  package func path(of policy: String?) -> String {
    (["targets", metric.label(statistic, class: self.class), comparison.rawValue]
      + [policy].compactMap(\.self)).joined(separator: ".")
  }

  /// Whether a value lies further on the wrong side, or less far on the right one, than another.
  package func isWorse(_ value: MetricValue, than other: MetricValue) -> Bool {
    switch comparison {
    case .atLeast: value.asDouble < other.asDouble
    case .atMost: value.asDouble > other.asDouble
    }
  }

  /// Returns whether the value satisfies the limit; an equal value does.
  package func isMet(by value: Double) -> Bool {
    switch comparison {
    case .atLeast: value >= limit
    case .atMost: value <= limit
    }
  }
}

extension Metric {
  /// With what narrows it: `read_wait[all] p95`.
  package func label(_ statistic: Statistic, class name: ResultClass) -> String {
    self.name + (name == .total ? "" : "[\(name)]")
      + (statistic == .value ? "" : " \(statistic.rawValue)")
  }
}
