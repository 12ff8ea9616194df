import Analysis
import ResultModel

/// Which share of the samples kept a target, for a column beside the percentiles.
struct SharesWithinTarget {
  /// The metric of the share of a latency that has a target.
  private static let shares: [Metric: Metric] = [
    .updateToNotify: .updateToNotifyWithinTarget, .serverToUI: .serverToUIWithinTarget,
  ]
  private let rows: [ResultRow]

  init(rows: [ResultRow]) {
    let metrics = Set(Self.shares.values)
    self.rows = rows.filter { metrics.contains($0.metric) }
  }

  /// The share of a class in the tables of stages, as in 99.97 %; `nil` where it was not measured.
  func text(_ metric: Metric, of name: ResultClass, isControl: Bool = false) -> String? {
    rows.first {
      $0.metric == metric && $0.scenario == StageTable.scenario && $0.class == name
        && $0.policy.isEmpty == isControl
    }?.value.map { Self.text($0.asDouble) }
  }

  /// The share beside a target; `nil` where it was not measured.
  func text(of target: Target, policies: [String]) -> String? {
    guard let metric = Self.shares[target.metric] else { return nil }
    return rows.filter {
      $0.metric == metric && $0.scenario == target.scenario && $0.class == target.class
        && policies.contains($0.policy)
    }
    .compactMap { $0.value?.asDouble }.min().map(Self.text)
  }

  /// Rounded down, so that one sample beyond the target is not rounded away.
  private static func text(_ share: Double) -> String {
    share < 1
      ? HumanNumber.fixed((share * 10_000).rounded(.down) / 100, decimals: 2) + " %" : "100 %"
  }
}
