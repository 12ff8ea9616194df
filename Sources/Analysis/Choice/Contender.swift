package import Metrics

/// One policy in one scenario, in the three figures that decide which to ship.
package struct Contender: Hashable, Sendable {
  package var policy: String
  package var freshHitRatio: Double
  package var bytesFetched: Double
  package var peakResidentWeight: Double

  package init(
    policy: String, freshHitRatio: Double, bytesFetched: Double, peakResidentWeight: Double
  ) {
    self.policy = policy
    self.freshHitRatio = freshHitRatio
    self.bytesFetched = bytesFetched
    self.peakResidentWeight = peakResidentWeight
  }

  /// The contender of a policy as the mean over its seeds, or `nil` where a figure is missing for
  /// one of them.
  package init?(policy: String, scenario: String, rows: [ResultRow]) {
    let own = rows.filter {
      $0.scenario == scenario && $0.policy == policy && $0.class == "total"
    }
    func mean(_ metric: String, _ statistic: Statistic) -> Double? {
      let found = own.filter { $0.metric == metric && $0.statistic == statistic.rawValue }
      let values = found.compactMap { $0.value?.asDouble }
      guard !found.isEmpty, values.count == found.count else { return nil }
      return values.reduce(0, +) / Double(values.count)
    }
    guard let ratio = mean("fresh_hit_ratio", .value), let bytes = mean("bytes_fetched", .value),
      let weight = mean("resident_weight", .peak)
    else { return nil }
    self.init(
      policy: policy, freshHitRatio: ratio, bytesFetched: bytes, peakResidentWeight: weight)
  }
}
