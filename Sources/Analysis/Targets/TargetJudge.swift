package import ResultModel

/// Judges targets with measured rows, for all commands.
///
/// A target is judged by the worst of the first five seeds: it must be met in each. More seeds have a worse
/// worst one, so runs with more seeds are judged by the same five. A row over several seeds does not count as
/// one of them.
///
/// An `slo` metric is judged together with its noise control, the same path without a cache: if the control
/// takes more than half of the limit, minus its unavoidable part, this machine cannot decide the target, in
/// either direction. The exception is a control that was also measured without load, in the lane `alone`, and
/// took no more than half there: it is then slowed by the subject, which is judged for it. A value that was
/// not measured is `missing`, never a pass; of one that is only known to lie between two bounds both must be
/// met, or both missed.
package struct TargetJudge: Sendable {
  /// The share of a limit above which the machine's noise would decide.
  package static let largestNoiseShare = 0.5

  /// The number of seeds, the worst of which is compared with a target, and of a baseline: those that a
  /// selection runs for every policy.
  package static let seeds = SeedPlan.automatic.common

  private struct Place: Hashable {
    let scenario: String
    let policy: String
    let `class`: ResultClass
    let metric: Metric
    let statistic: Statistic
  }

  // Looked up, never iterated; the rows of a place keep their order.
  private let rowsByPlace: [Place: [ResultRow]]

  package init(rows: [ResultRow]) {
    rowsByPlace = Dictionary(grouping: rows) {
      Place(
        scenario: $0.scenario, policy: $0.policy, class: $0.class, metric: $0.metric,
        statistic: $0.statistic)
    }
  }

  /// Returns one judgement for each policy of a target, in the order of the targets and of their policies.
  package func judge(_ targets: [Target]) -> [TargetJudgement] {
    targets.flatMap { target in
      (target.policies.isEmpty ? [""] : target.policies).map { judge(target, policy: $0) }
    }
  }

  private func judge(_ target: Target, policy: String) -> TargetJudgement {
    let rows = rows(of: target, policy: policy, class: target.class, metric: target.metric)
    func verdict(
      _ outcome: TargetJudgement.Outcome, _ measured: MetricValue? = nil, seed: UInt64? = nil
    ) -> TargetJudgement {
      TargetJudgement(
        target: target, policy: policy, measured: measured, seed: seed, seeds: rows.count,
        outcome: outcome)
    }
    if rows.allSatisfy({ $0.value == nil }), let bounded = boundedJudgement(target, policy: policy)
    {
      return bounded
    }
    guard !rows.isEmpty else { return verdict(.missing(reason: "not measured")) }
    if let empty = rows.first(where: { $0.value == nil }) {
      return verdict(.missing(reason: Self.reasonForNoValue(empty)), seed: empty.seed)
    }
    guard let worst = Self.worst(of: rows, for: target), let value = worst.value else {
      return verdict(.missing(reason: "not measured"))
    }
    if let obstacle = noise(beside: target.metric, for: target, policy: policy) {
      return verdict(obstacle, value, seed: worst.seed)
    }
    let outcome: TargetJudgement.Outcome = target.isMet(by: value.asDouble) ? .met : .missed
    return verdict(outcome, value, seed: worst.seed)
  }

  /// Judges by the bounds, which are all that an app's recording tells of freshness; the worse one is shown.
  ///
  /// - Returns: `nil` if there are none.
  private func boundedJudgement(_ target: Target, policy: String) -> TargetJudgement? {
    guard target.statistic == .value, target.metric.statistics.contains(.lower) else { return nil }
    let ends = [Statistic.lower, .upper].map { statistic in
      var bound = target
      bound.statistic = statistic
      return judge(bound, policy: policy)
    }
    guard ends.allSatisfy({ $0.measured != nil }) else { return nil }
    let worse = ends[target.comparison == .atLeast ? 0 : 1]
    let isKnown = ends[0].outcome == ends[1].outcome
    return TargetJudgement(
      target: target, policy: policy, measured: isKnown ? worse.measured : nil,
      seed: isKnown ? worse.seed : nil, seeds: worse.seeds,
      outcome: isKnown
        ? worse.outcome
        : .missing(reason: "the recording does not say which hits were fresh"))
  }

  private func rows(
    of target: Target, policy: String, class: ResultClass, metric: Metric
  ) -> [ResultRow] {
    let rows =
      rowsByPlace[
        Place(
          scenario: target.scenario, policy: policy, class: `class`, metric: metric,
          statistic: target.statistic)] ?? []
    let seeds = rows.filter { $0.seed != nil }
    guard seeds.count > Self.seeds else { return seeds.isEmpty ? rows : seeds }
    return Array(seeds.sorted { ($0.seed ?? 0) < ($1.seed ?? 0) }.prefix(Self.seeds))
  }

  private static func worst(of rows: [ResultRow], for target: Target) -> ResultRow? {
    rows.reduce(nil as ResultRow?) { worst, row in
      guard let held = worst?.value, let value = row.value else { return row }
      return target.isWorse(value, than: held) ? row : worst
    }
  }

  private static func reasonForNoValue(_ row: ResultRow) -> String {
    switch row.sampleCount {
    case nil: "no value"
    case 0: "nothing to observe"
    case .some(let count): "too few samples for \(row.statistic.rawValue): \(count)"
    }
  }

  /// Returns why the machine cannot decide, or `nil` if it can.
  private func noise(
    beside metric: Metric, for target: Target, policy: String
  ) -> TargetJudgement.Outcome? {
    guard let control = metric.noiseControl, target.comparison == .atMost else { return nil }
    // A control may be measured per policy and class, or once for all.
    let places = [
      (policy, target.class), ("", target.class), (policy, ResultClass.total), ("", .total),
    ]
    let found = places.lazy
      .map { rows(of: target, policy: $0.0, class: $0.1, metric: control) }
      .first { !$0.isEmpty }
    guard let worst = found.flatMap({ Self.worst(of: $0, for: target) }),
      let value = worst.value?.asDouble
    else {
      return .missing(reason: "its control \(control.name) \(target.statistic.rawValue) is missing")
    }
    let room = target.limit - target.unavoidable
    guard value > room * Self.largestNoiseShare else { return nil }
    let percent = Int64(min(value / room * 100, 1e9))
    let whole = target.unavoidable > 0 ? "what the limit leaves" : "the limit"
    return .inconclusive(
      reason: "\(control.name) \(target.statistic.rawValue) takes \(percent) % of \(whole)")
  }
}

package struct TargetJudgement: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case met
    case missed
    /// The machine's own noise is too large a part of the limit.
    case inconclusive(reason: String)
    /// There is no value to judge; never a pass.
    case missing(reason: String)
  }

  package let target: Target
  package let policy: String
  /// The worst value over the seeds, in the unit of the metric; `nil` if one is missing.
  package let measured: MetricValue?
  package let seed: UInt64?
  /// The number of seeds that include this worst one.
  package let seeds: Int
  package let outcome: Outcome
}
