package import ResultModel

/// How far the hit ratio that a log tells of its own cache lies from that of every simulated policy.
///
/// A cache that behaves like none of them is possible; a log or a model that is wrong is likelier.
package struct RecordedGap: Hashable, Sendable {
  package let recorded: Double
  /// The policy that comes nearest, the first of equals.
  package let nearest: String
  package let nearestRatio: Double

  /// A smaller distance says nothing: caches of one design differ as much.
  private static let threshold = 0.1

  /// `nil` where some policy is near, or the log tells of no outcome.
  ///
  /// - Parameters:
  ///   - scenario: whose rows to look at.
  ///   - rows: all rows, one of each kind.
  package init?(scenario: String, rows: [ResultRow]) {
    let ratios = rows.filter {
      $0.scenario == scenario && $0.class == "all" && $0.metric == .hitRatio
    }
    func distance(_ row: ResultRow, _ recorded: Double) -> Double? {
      row.value.map { abs($0.asDouble - recorded) }
    }
    guard
      let recorded = ratios.first(where: { $0.policy == ResultRow.recordedPolicy })?.value?
        .asDouble
    else { return nil }
    let simulated = ratios.filter { $0.policy != ResultRow.recordedPolicy && $0.value != nil }
    let nearest = simulated.min {
      (distance($0, recorded) ?? .infinity) < (distance($1, recorded) ?? .infinity)
    }
    guard let nearest, let ratio = nearest.value?.asDouble,
      abs(ratio - recorded) > Self.threshold
    else { return nil }
    self.recorded = recorded
    self.nearest = nearest.policy
    nearestRatio = ratio
  }
}
