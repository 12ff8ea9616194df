import CacheModel
import ResultModel

/// Who is best at what, where caches of several designs are compared: no one figure says it.
enum BestByCriterion {
  private struct Criterion {
    var name: String
    var metric: Metric
    var statistic = Statistic.value
    var `class`: ResultClass = .total
    var isLowest = true
    /// What is added to it.
    var and: Metric?
  }

  private static let criteria = [
    Criterion(name: "most fresh", metric: .freshHitRatio, class: .all, isLowest: false),
    Criterion(name: "least stale", metric: .staleReadShare, class: .all),
    Criterion(name: "least waiting", metric: .readWait, statistic: .mean, class: .all),
    Criterion(name: "fewest bytes", metric: .bytesFetched, and: .bytesPushed),
    Criterion(name: "least memory", metric: .predictedBytes, statistic: .peak),
    Criterion(name: "least disk", metric: .diskBytes, statistic: .peak),
    Criterion(
      name: "most without a link", metric: .offlineHitRatio, class: .all, isLowest: false),
    Criterion(name: "most after a start", metric: .coldStartHitRatio, isLowest: false),
  ]

  /// A line for each criterion that somebody has a figure for; none where all are of one design.
  ///
  /// Bounds, and who has exceeded a limit, are best at nothing.
  static func lines(of scenario: String, _ rows: [ResultRow]) -> [String] {
    let own = rows.filter { $0.scenario == scenario }
    guard own.contains(where: { $0.metric == .memoryHits }) else { return [] }
    let policies = own.distinct(\.policy).filter { policy in
      !policy.isEmpty && !Preset.namesOfBounds.contains(policy)
        && (value(of: policy, Criterion(name: "", metric: .overLimit, statistic: .peak), own) ?? 0)
          <= 1
    }
    return criteria.compactMap { criterion in
      let values = policies.compactMap { policy in
        value(of: policy, criterion, own).map { (policy: policy, value: $0) }
      }
      let all = values.map(\.value)
      guard let best = criterion.isLowest ? all.min() : all.max() else { return nil }
      let names = values.filter { $0.value == best }.map(\.policy).joined(separator: ", ")
      let figure = HumanNumber.text(.real(best), unit: criterion.metric.unit)
      return "\(criterion.name): \(names), \(figure)"
    }
  }

  private static func value(
    of policy: String, _ criterion: Criterion, _ rows: [ResultRow]
  ) -> Double? {
    func value(_ metric: Metric) -> Double? {
      rows.first {
        $0.policy == policy && $0.metric == metric && $0.statistic == criterion.statistic
          && $0.class == criterion.class
      }?.value?.asDouble
    }
    guard let first = value(criterion.metric) else { return nil }
    guard let other = criterion.and else { return first }
    return value(other).map { first + $0 }
  }
}
