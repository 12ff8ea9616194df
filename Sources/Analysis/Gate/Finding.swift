package import ResultModel

package struct ContenderIdentity: Hashable, Sendable {
  package let scenario: String
  package let policy: String

  package init(scenario: String, policy: String) {
    self.scenario = scenario
    self.policy = policy
  }
}

/// A figure of a run, without the seed.
package struct FigureIdentity: Hashable, Sendable, CustomStringConvertible {
  package let scenario: String
  package let policy: String
  package let `class`: ResultClass
  package let metric: Metric
  package let statistic: Statistic

  package var description: String {
    let owner = policy.isEmpty ? scenario : "\(scenario)/\(policy)"
    return "\(owner) \(`class`): \(metric.name) \(statistic.rawValue)"
  }
}

extension ResultRow {
  package var figure: FigureIdentity {
    FigureIdentity(
      scenario: scenario, policy: policy, class: self.class, metric: metric, statistic: statistic)
  }
}

/// The change of one figure between runs, paired by seed.
package struct Finding: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Against the metric's polarity, statistically significant, and large enough to matter.
    case worse
    /// The candidate lacks the whole policy.
    case removed
    /// Absent or empty in the candidate.
    case missing
    /// The candidate has a row twice.
    case invalid
    /// With the metric's polarity, statistically significant, and large enough to matter.
    case better
    /// Different, but neither better nor worse: not significant, too small, or a neutral metric.
    case changed
    /// In the candidate but not in the baseline.
    case added
    /// The baseline lacks the whole policy.
    case addedContender = "added_policy"

    /// Returns whether it fails the gate; a strict gate fails on any change.
    package func fails(isStrict: Bool) -> Bool {
      switch self {
      case .worse, .removed: true
      case .better, .changed: isStrict
      case .missing, .invalid, .added, .addedContender: false
      }
    }

    package var leavesDoubt: Bool { self == .missing || self == .invalid }
  }

  package let figure: FigureIdentity
  package internal(set) var kind: Kind
  /// The mean over the seeds.
  package var baseline: Double?
  package var candidate: Double?
  package var difference: Double?
  /// The half-width of Student's 95 % interval; `nil` for one seed.
  package var halfWidth: Double?
  package var seeds = 0

  /// The size of the difference: in points for a ratio, otherwise in percent of the baseline.
  package var weight: Double {
    guard let difference, let baseline else { return 0 }
    if figure.metric.unit == .ratio { return abs(difference) * 100 }
    return baseline == 0 ? .infinity : abs(difference / baseline) * 100
  }
}

/// The change of a counted or timed figure, which is not compared for equality.
package struct MeasuredFinding: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case worse
    /// It was not measured, or the measurement is invalid.
    case error
    /// Neither significantly different nor shown to be the same.
    case inconclusive
    case better
    case same

    /// Whether the two sides differ significantly.
    package var isApart: Bool { self == .worse || self == .better }
    package var leavesDoubt: Bool { self == .error || self == .inconclusive }
  }

  package let figure: FigureIdentity
  package var outcome: Outcome
  package var baseline: Double?
  package var candidate: Double?
  /// As a share of the baseline; `nil` if that is zero.
  package var change: Double?
  /// The 95 % interval of the change; none for a count.
  package var interval: ClosedRange<Double>?
  /// The number of processes of each side.
  package var rounds = 1
  /// The smallest change that a series like this would detect nine times out of ten.
  package var detectable: Double?
  /// Why it is inconclusive, or an error.
  package var reason: String?

  package init(
    figure: FigureIdentity, outcome: Outcome, baseline: Double? = nil, candidate: Double? = nil,
    change: Double? = nil, reason: String? = nil
  ) {
    self.figure = figure
    self.outcome = outcome
    self.baseline = baseline
    self.candidate = candidate
    self.change = change
    self.reason = reason
  }
}
