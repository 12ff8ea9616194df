package import ResultModel

/// A policy in a scenario.
package struct ContenderIdentity: Hashable, Sendable {
  package let scenario: String
  package let policy: String

  package init(scenario: String, policy: String) {
    self.scenario = scenario
    self.policy = policy
  }
}

/// A figure of a run: what is the same in all seeds.
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

/// How one figure that is not the same in both runs has changed, seed by seed.
package struct Finding: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Against the metric's polarity, statistically significant, and large enough to matter.
    case worse
    /// The whole policy is not in the candidate.
    case removed
    /// Absent or empty in the candidate.
    case missing
    /// The candidate has a row twice.
    case invalid
    /// With the metric's polarity, statistically significant, and large enough to matter.
    case better
    /// Not the same, and neither better nor worse: chance, too little, or a metric that has no better.
    case changed
    /// In the candidate and not in the baseline.
    case added
    /// The whole policy is not in the baseline.
    case addedContender = "added_policy"

    /// Whether the gate fails by it; a strict one fails by any change.
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
  /// The mean of the differences, candidate less baseline.
  package var difference: Double?
  /// Of Student's 95 % interval about it; `nil` of one seed.
  package var halfWidth: Double?
  package var seeds = 0

  /// How large the difference is: of a ratio in points, of anything else in percent of the baseline.
  package var weight: Double {
    guard let difference, let baseline else { return 0 }
    if figure.metric.unit == .ratio { return abs(difference) * 100 }
    return baseline == 0 ? .infinity : abs(difference / baseline) * 100
  }
}

/// How a figure has changed that is counted or timed, and so is not compared for equality.
package struct MeasuredFinding: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case worse
    /// It was not measured, or what was measured is no value.
    case error
    /// Neither significantly different nor shown to be the same.
    case inconclusive
    case better
    case same

    /// Whether the two sides are significantly different.
    package var isApart: Bool { self == .worse || self == .better }
    package var leavesDoubt: Bool { self == .error || self == .inconclusive }
  }

  package let figure: FigureIdentity
  package var outcome: Outcome
  package var baseline: Double?
  package var candidate: Double?
  /// As a share of the baseline; `nil` if that is zero.
  package var change: Double?
  /// Of the change, at 95 %; of a count there is none.
  package var interval: ClosedRange<Double>?
  /// The number of processes of each side.
  package var rounds = 1
  /// The least change that a series like this one would have detected nine times of ten.
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
