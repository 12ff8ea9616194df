package import ResultModel

/// What a gate found, and the exit code that says so.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case passed
    /// A figure got worse, counted and timed ones included, a policy is gone, or a target is missed that the baseline did not miss.
    case failed
    /// The baseline, or what it says of a scenario, cannot be compared with this run.
    case incompatible
    /// Data is missing or invalid, or the machine could not decide a target or a time.
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

  /// Why the baseline, or a scenario of it, cannot be compared; empty where all can.
  package let incompatibilities: [Incompatibility]
  /// What differs in the caches of a scenario that was compared, by its name.
  package var contenderChanges: [ScenarioChange] = []
  /// Every figure that is not the same, in the order of the baseline, then of the candidate.
  package var findings: [Finding] = []
  /// How many of the figures that are compared by name were equal in all of their seeds.
  package var equalFigures = 0
  /// How many runs were compared by digest, and how many were equal in everything exact.
  package var comparedRuns = 0
  package var equalRuns = 0
  /// The policies of which a digest differs, in the order of the baseline.
  package var changedPolicies: [PolicyChange] = []
  /// Those of which the findings are everything that differs, from the rows of two builds.
  package internal(set) var listedPolicies: [ContenderIdentity] = []
  /// The policies that both runs have, in the order of the baseline.
  package var contenders: [ContenderIdentity] = []
  package var targets: [TargetComparison] = []
  /// Figures that were counted or timed.
  package var measured: [MeasuredFinding] = []
  /// What was not compared, and why, one line each.
  package var untested: [String] = []
  /// Contenders without figures, since their runs ended early, and why.
  package var failedRuns: [FailedRun] = []
  /// Whether any change fails, and not only a worse value.
  package var isStrict = false

  package init(incompatibilities: [Incompatibility]) {
    self.incompatibilities = incompatibilities
  }

  /// Certain failure outranks doubt, and doubt what could not be compared.
  package var outcome: Outcome {
    if findings.contains(where: { $0.kind.fails(isStrict: isStrict) })
      || targets.contains(where: { $0.outcome == .missed })
      || isStrict && !changedPolicies.isEmpty
      || measured.contains(where: { $0.outcome == .worse })
    {
      return .failed
    }
    if !failedRuns.isEmpty || findings.contains(where: \.kind.leavesDoubt)
      || targets.contains(where: { $0.outcome == .undecided })
      || changedPolicies.contains(where: { !$0.isNamed })
      || measured.contains(where: \.outcome.leavesDoubt)
    {
      return .inconclusive
    }
    return incompatibilities.isEmpty ? .passed : .incompatible
  }
}

/// A policy whose exact figures are not those of the baseline.
package struct PolicyChange: Hashable, Sendable {
  package let contender: ContenderIdentity
  /// The seeds whose digests differ.
  package let seeds: [UInt64?]
  /// How many seeds were compared.
  package let compared: Int
  /// Whether a finding says what differs; else it lies below the figures that are compared by name.
  package internal(set) var isNamed: Bool
}

/// A contender whose run ended early, and why.
package struct FailedRun: Hashable, Sendable {
  package let contender: ContenderIdentity
  package let reason: String

  package init(_ contender: ContenderIdentity, reason: String) {
    self.contender = contender
    self.reason = reason
  }
}

/// What differs in one scenario.
package struct ScenarioChange: Hashable, Sendable {
  package let scenario: String
  package let fields: [FieldChange]
}

/// Why a baseline, or a scenario of it, cannot be compared with this run.
package enum Incompatibility: Hashable, Sendable {
  case emptyBaseline
  /// It has rows, but none of the scenarios that were run.
  case otherScenarios([String])
  case schemaVersion(baseline: Int, expected: Int)
  /// What happens in the scenario is not what it was.
  case workloadChanged(ScenarioChange)
  case scenarioWithoutContent(String)
  case duplicateRow(ResultIdentity)

  /// The scenario that is not compared; `nil`: none is.
  package var scenario: String? {
    switch self {
    case .workloadChanged(let change): change.scenario
    case .scenarioWithoutContent(let scenario): scenario
    case .duplicateRow(let identity): identity.scenario
    case .emptyBaseline, .otherScenarios, .schemaVersion: nil
    }
  }
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
