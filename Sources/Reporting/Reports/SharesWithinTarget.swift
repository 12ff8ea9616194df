import Analysis
import Metrics

/// Which share of the samples kept a target, for a column beside the percentiles.
struct SharesWithinTarget {
  static let metric = Metric.shareWithinTarget
  private let rows: [ResultRow]

  init(rows: [ResultRow]) {
    self.rows = rows.filter { $0.metric == Self.metric }
  }

  /// The share of a class, as in 99.97 %; `nil` where it was not measured.
  func text(of name: String, scenario: String = StageTable.scenario) -> String? {
    rows.first { $0.scenario == scenario && $0.class == name }?.value.map {
      Self.text($0.asDouble)
    }
  }

  /// The share beside a target; `nil` where it was not measured.
  func text(of target: Target, policies: [String]) -> String? {
    let suffix: String
    switch target.metric {
    case .updateToNotify: suffix = ""
    case .serverToUI: suffix = "/ui"
    default: return nil
    }
    return rows.filter {
      $0.scenario == target.scenario && $0.class == target.class + suffix
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
