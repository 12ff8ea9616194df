/// The columns by which two rows of two runs are the same measurement.
public struct ResultIdentity: Hashable, Sendable, CustomStringConvertible {
  public let scenario: String
  public let policy: String
  public let seed: UInt64?
  public let `class`: ResultClass
  public let metric: Metric
  public let statistic: Statistic

  /// The name by which a gate reports the row.
  public var description: String {
    let owner = policy.isEmpty ? scenario : "\(scenario)/\(policy)"
    let seed = seed.map { " seed \($0)" } ?? ""
    return "\(owner)\(seed) \(`class`): \(metric.name) \(statistic.rawValue)"
  }
}

extension ResultRow {
  public var identity: ResultIdentity {
    ResultIdentity(
      scenario: scenario, policy: policy, seed: seed, class: self.class, metric: metric,
      statistic: statistic)
  }
}
