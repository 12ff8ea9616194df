package import Metrics

/// What a gate found, and the exit code that says so.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case passed
    /// An exact metric got worse or changed, or a target is missed that the baseline did not miss.
    case failed
    /// The baseline cannot be compared with this run.
    case incompatible
    /// Data is missing or invalid, or the machine could not decide a target.
    case inconclusive

    package var exitCode: Int32 {
      switch self {
      case .passed: 0
      case .failed: 1
      case .incompatible: 3
      case .inconclusive: 4
      }
    }
  }

  /// Why the baseline cannot be compared; empty where it can.
  package let incompatibilities: [Incompatibility]
  /// Every difference, in the order of the baseline, then of the candidate.
  package let differences: [Difference]
  /// How many rows of exact metrics were equal in both runs.
  package let equalRows: Int
  package let targets: [TargetComparison]

  /// Certain failure outranks doubt: a run that regressed and also lacks data has failed.
  package var outcome: Outcome {
    if !incompatibilities.isEmpty { return .incompatible }
    if differences.contains(where: \.kind.fails)
      || targets.contains(where: { $0.outcome == .missed })
    {
      return .failed
    }
    if differences.contains(where: \.kind.leavesDoubt)
      || targets.contains(where: { $0.outcome == .undecided })
    {
      return .inconclusive
    }
    return .passed
  }
}

/// Why a baseline cannot be compared with this run.
package enum Incompatibility: Hashable, Sendable {
  case emptyBaseline
  /// It has rows, but none of the scenarios that were run.
  case otherScenarios([String])
  case schemaVersion(baseline: Int, expected: Int)
  case scenarioChanged(String)
  case scenarioWithoutDigest(String)
  case duplicateRow(ResultIdentity)
}

/// One row that is not equal in both runs.
package struct Difference: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Moved against the metric's polarity.
    case regressed
    /// Moved with the metric's polarity: passes, and the baseline should be renewed.
    case improved
    /// A metric without polarity moved: the cache behaves differently, and someone must say that
    /// this was meant.
    case changed
    /// Absent in the candidate though in the baseline, or empty in the candidate.
    case missing
    /// In the candidate and not in the baseline: reported, and passes.
    case unbaselined
    /// The candidate has the row twice.
    case invalid

    package var fails: Bool { self == .regressed || self == .changed }
    package var leavesDoubt: Bool { self == .missing || self == .invalid }
  }

  package let identity: ResultIdentity
  package let kind: Kind
  package let baseline: MetricValue?
  package let candidate: MetricValue?
}

extension TargetJudgement {
  /// Neither a pass nor a failure.
  package var leavesDoubt: Bool {
    switch outcome {
    case .met, .missed: false
    case .inconclusive, .missing: true
    }
  }
}
