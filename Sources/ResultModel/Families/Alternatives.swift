/// How much longer an alternative takes than the cache under test, under the same events.
extension Metric {
  package static let applyRatio = ratio(of: .apply)
  package static let notifyRatio = ratio(of: .notify)
  package static let eventCostRatio = ratio(of: .eventCost)

  /// What compares an alternative's stage with the cache's; `nil` where nothing does.
  package var alternativeRatio: Metric? {
    switch self {
    case .apply: .applyRatio
    case .notify: .notifyRatio
    case .eventCost: .eventCostRatio
    default: nil
    }
  }

  private static func ratio(of stage: Metric) -> Metric {
    Metric(
      name: "\(stage.name)_ratio", unit: .factor, polarity: .higherIsBetter, noiseClass: .sampled,
      statistics: [.p50, .p99],
      definition:
        "An alternative's \(stage.name) over that of the cache under test, the median of all rounds.",
      notComparableWith:
        "A quotient of two rows of \(stage.name), which pool the samples of all rounds."
    )
  }
}

extension MetricRegistry {
  static let alternatives: [Metric] = [
    .applyRatio, .notifyRatio, .eventCostRatio,
  ]
}
