package import ResultModel

/// Which policies hit most in one scenario, whether or not what they served was fresh.
///
/// That is what can be said where the server's states are not known, as in the log of an app.
package struct MostHits: Hashable, Sendable {
  /// The best, and those that a tenth of a point does not tell from it, in the order of the rows.
  package let policies: [String]
  /// The highest hit ratio.
  package let hitRatio: Double
  /// The best of the others; `nil` where there are none.
  package let runnerUp: String?
  /// How far its hit ratio lies behind the highest.
  package let margin: Double?

  /// Ratios closer than this would be printed alike: a tenth of a point.
  private static let tie = 0.001

  /// The mean over seeds decides; a policy that lacks the figure for one of them is left out.
  ///
  /// - Returns: `nil` where no policy has the figure.
  package init?(among policies: [String], scenario: String, rows: [ResultRow]) {
    let ratios = policies.compactMap { policy in
      Self.hitRatio(of: policy, scenario, rows).map { (policy: policy, ratio: $0) }
    }
    guard let highest = ratios.map(\.ratio).max() else { return nil }
    let isBest = { (ratio: Double) in highest - ratio <= Self.tie }
    self.policies = ratios.filter { isBest($0.ratio) }.map(\.policy)
    hitRatio = highest
    let next = ratios.filter { !isBest($0.ratio) }.max { $0.ratio < $1.ratio }
    runnerUp = next?.policy
    margin = next.map { highest - $0.ratio }
  }

  private static func hitRatio(
    of policy: String, _ scenario: String, _ rows: [ResultRow]
  ) -> Double? {
    let found = rows.filter {
      $0.scenario == scenario && $0.policy == policy && $0.class == "all"
        && $0.metric == .hitRatio && $0.statistic == .value
    }
    let values = found.compactMap { $0.value?.asDouble }
    guard !values.isEmpty, values.count == found.count else { return nil }
    return values.reduce(0, +) / Double(values.count)
  }
}
