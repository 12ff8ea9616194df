import Processes
package import ResultModel

/// The limits of the design document, in nanoseconds.
package enum LatencyTarget: Int64, Sendable {
  case updateToNotify = 1_000_000
  case serverToUI = 20_000_000

  /// The share of samples within it.
  var share: Metric {
    switch self {
    case .updateToNotify: .updateToNotifyWithinTarget
    case .serverToUI: .serverToUIWithinTarget
    }
  }
}

/// Turns samples into rows.
package struct LatencyRows {
  let scenario: String
  let policy: String
  let seed: UInt64

  private static let statistics: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  package init(scenario: String, policy: String, seed: UInt64) {
    self.scenario = scenario
    self.policy = policy
    self.seed = seed
  }

  // A control is no policy's.
  package func distribution(
    _ samples: [Int64], _ metric: Metric, class: ResultClass, isControl: Bool = false
  ) -> [ResultRow] {
    let distribution = Distribution(samples)
    return Self.statistics.map { statistic in
      row(
        metric, class: `class`, statistic: statistic, value: distribution.value(of: statistic),
        count: distribution.count, isControl: isControl)
    }
  }

  func share(
    of samples: [Int64], within target: LatencyTarget, class: ResultClass, isControl: Bool = false
  ) -> ResultRow {
    let met = samples.count { $0 <= target.rawValue }
    return row(
      target.share, class: `class`, statistic: .value,
      value: samples.isEmpty ? nil : .real(Double(met) / Double(samples.count)),
      count: samples.count, isControl: isControl)
  }

  func row(
    _ metric: Metric, class: ResultClass, statistic: Statistic = .value, value: MetricValue?,
    count: Int? = nil, isControl: Bool = false
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: isControl ? "" : policy, seed: seed, class: `class`,
      metric: metric, statistic: statistic, value: value, sampleCount: count)
  }
}
