import Processes
import ResultModel

/// The limits of the design document, in nanoseconds.
enum LatencyTarget: Int64, Sendable {
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

/// Makes the rows of a run, which say the same of scenario, policy and seed.
struct RunRows {
  let scenario: String
  var policy = ""
  let seed: UInt64
  /// Behind each value, where nothing else is said.
  var samples: Int?

  private static let statistics: [Statistic] = [.p50, .p90, .p99, .p999, .max, .mean]

  // A control is no policy's.
  func distribution(
    _ samples: [Int64], _ metric: Metric, class: ResultClass, isControl: Bool = false
  ) -> [ResultRow] {
    let distribution = Distribution(samples)
    return Self.statistics.map { statistic in
      row(
        metric, distribution.value(of: statistic), class: `class`, statistic,
        count: distribution.count, isControl: isControl)
    }
  }

  func share(
    of samples: [Int64], within target: LatencyTarget, class: ResultClass, isControl: Bool = false
  ) -> ResultRow {
    let met = samples.count { $0 <= target.rawValue }
    return row(
      target.share, samples.isEmpty ? nil : .real(Double(met) / Double(samples.count)),
      class: `class`, count: samples.count, isControl: isControl)
  }

  func row(
    _ metric: Metric, _ value: MetricValue?, class: ResultClass = .total,
    _ statistic: Statistic = .value, count: Int? = nil, interval: ClosedRange<Double>? = nil,
    isControl: Bool = false
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: isControl ? "" : policy, seed: seed, class: `class`,
      metric: metric, statistic: statistic, value: value, sampleCount: count ?? samples,
      confidenceInterval: interval)
  }
}
