package import ResultModel

/// Compares a run with the committed baseline.
///
/// A seed generates the same stream for both, so equal digests of a run mean that all exact figures are
/// equal. The main figures, which a baseline has in plain text, are compared by name, paired over its seeds.
/// If they differ, the mean difference decides: it is worse, or better, if Student's 95 % interval excludes
/// zero and the difference is at least 0.05 points of a ratio or 0.5 % of anything else; otherwise it has
/// changed without significance. A strict comparison fails on any change: the same seed gave another number,
/// and an intended change needs a new baseline. If a digest differs but no main figure does, it is unknown
/// whether anything got worse: this is inconclusive, and in a strict comparison a failure.
/// ``Verdict/list(from:to:of:recorded:)`` names the figures from the rows of both builds. Metrics of the
/// other noise classes are judged by targets only.
///
/// A target fails the gate if it is missed and the baseline did not miss the same; ``TargetComparison`` says why.
package enum Gate {
  /// - Parameters:
  ///   - baseline: the committed results.
  ///   - candidate: the current run; the baseline's seeds count, without those not run.
  ///   - targets: the targets of both.
  ///   - isStrict: whether any change fails.
  /// - Returns: the verdict; an incomparable scenario does not prevent the comparison of others.
  package static func compare(
    baseline: ResultSet, candidate: ResultSet, targets: [Target], isStrict: Bool = false
  ) -> Verdict {
    let incompatibilities = obstacles(baseline: baseline, candidate: candidate)
    var verdict = Verdict(incompatibilities: incompatibilities)
    verdict.isStrict = isStrict
    // Incomparable scenarios are excluded: a list of false differences would hide the cause.
    let excluded = Set(incompatibilities.map(\.scenario))
    guard !excluded.contains(nil) else { return verdict }
    func compared(_ rows: [ResultRow]) -> [ResultRow] {
      rows.filter { $0.metric.noiseClass == .exact && !excluded.contains($0.scenario) }
    }
    let exactBaseline = compared(baseline.rows)
    let notRun = Set(candidate.rowsNotRun.map(\.identity))
    let comparison = RowComparison(
      baseline: exactBaseline.filter { !notRun.contains($0.identity) },
      candidate: compared(candidate.rows),
      recorded: Set(candidate.scenarios.filter(\.isRecorded).map(\.scenario)))
    verdict.findings = comparison.findings
    verdict.equalFigures = comparison.equalFigures
    verdict.contenders = comparison.contenders
    verdict.contenderChanges = changes(\.contenders, from: baseline, to: candidate)
      .filter { !excluded.contains($0.scenario) }
    verdict.targets = TargetComparison.all(
      targets.filter { !excluded.contains($0.scenario) },
      candidate: candidate.rows + candidate.rowsNotRun, baseline: exactBaseline,
      of: baseline.scenarios)
    verdict.compare(
      baseline.digests.filter { !excluded.contains($0.scenario) }, candidate.digests)
    return verdict
  }

  /// Returns the fields that differ in scenarios of both.
  private static func changes(
    _ part: (ScenarioIdentity) -> [ScenarioIdentity.Field], from baseline: ResultSet,
    to candidate: ResultSet
  ) -> [ScenarioChange] {
    candidate.scenarios.compactMap { scenario in
      guard let known = baseline.scenarios.first(where: { $0.scenario == scenario.scenario }) else {
        return nil
      }
      let fields = FieldChange.all(from: part(known), to: part(scenario))
      return fields.isEmpty ? nil : ScenarioChange(scenario: scenario.scenario, fields: fields)
    }
  }

  private static func obstacles(
    baseline: ResultSet, candidate: ResultSet
  ) -> [Incompatibility] {
    guard !baseline.rows.isEmpty || baseline.lacksFailedPolicies,
      let version = baseline.schemaVersion
    else {
      let wanted = candidate.scenarios.map(\.scenario)
      return [baseline.rowsOfOthers > 0 ? .otherScenarios(wanted) : .emptyBaseline]
    }
    guard version == ResultSchema.version else {
      return [.schemaVersion(baseline: version, expected: ResultSchema.version)]
    }
    if let version = candidate.schemaVersion, version != ResultSchema.version {
      return [.candidateVersion(version, expected: ResultSchema.version)]
    }
    let known = Set(baseline.scenarios.map(\.scenario))
    let withRows = Set(baseline.rows.map(\.scenario))
    var obstacles: [Incompatibility] = candidate.scenarios.map(\.scenario)
      .filter { withRows.contains($0) && !known.contains($0) }
      .map { .scenarioWithoutContent($0) }
    obstacles += changes(\.workload, from: baseline, to: candidate)
      .filter { withRows.contains($0.scenario) }
      .map { .workloadChanged($0) }
    let incomparable = Set(obstacles.map(\.scenario))
    obstacles += candidate.scenarios.map(\.scenario).filter { !incomparable.contains($0) }
      .compactMap { scenario in
        let (before, now) = (baseline.seeds(of: scenario), candidate.seeds(of: scenario))
        return before.isEmpty || now.isEmpty || now.contains(where: before.contains)
          ? nil : .noCommonRun(scenario, baseline: before, candidate: now)
      }
    var seen: Set<ResultIdentity> = []
    for row in baseline.rows where !seen.insert(row.identity).inserted {
      obstacles.append(.duplicateRow(row.identity))
    }
    return obstacles
  }
}

extension Verdict {
  /// Lists all differences from another build, for policies whose digests differ; they replace the findings
  /// of their main figures.
  ///
  /// - Parameters:
  ///   - before: the exact rows of the build that made the baseline.
  ///   - after: the exact rows of this build.
  ///   - baseline: the digests of the baseline.
  ///   - recorded: the scenarios with one stream only.
  /// - Returns: the policies whose digests by the other build differ from the baseline's: it did not make the
  ///   baseline, so nothing is listed for them.
  package mutating func list(
    from before: [ResultRow], to after: [ResultRow], of baseline: [RunDigest],
    recorded: Set<String>
  ) -> [ContenderIdentity] {
    let known = Set(baseline)
    let made = RunDigest.all(of: before)
    func isMade(_ policy: ContenderIdentity) -> Bool {
      let own = made.filter { $0.scenario == policy.scenario && $0.policy == policy.policy }
      return !own.isEmpty && own.allSatisfy(known.contains)
    }
    let changed = changedPolicies.map(\.contender)
    let listed = Set(changed.filter(isMade))
    func own(_ rows: [ResultRow]) -> [ResultRow] {
      rows.filter {
        $0.metric.noiseClass == .exact
          && listed.contains(ContenderIdentity(scenario: $0.scenario, policy: $0.policy))
      }
    }
    func isListed(_ finding: Finding) -> Bool {
      listed.contains(
        ContenderIdentity(scenario: finding.figure.scenario, policy: finding.figure.policy))
    }
    let comparison = RowComparison(
      baseline: own(before), candidate: own(after), recorded: recorded)
    findings.removeAll(where: isListed)
    findings += comparison.findings
    let named = Set(
      comparison.findings.map {
        ContenderIdentity(scenario: $0.figure.scenario, policy: $0.figure.policy)
      })
    for index in changedPolicies.indices where named.contains(changedPolicies[index].contender) {
      changedPolicies[index].isNamed = true
    }
    listedPolicies = changed.filter(named.contains)
    return changed.filter { !listed.contains($0) }
  }

  /// Compares digests of runs; a policy or a seed of only one side is found by its rows.
  fileprivate mutating func compare(_ baseline: [RunDigest], _ candidate: [RunDigest]) {
    // Looked up, never iterated.
    let after = Dictionary(candidate.map { ($0.run, $0.text) }, uniquingKeysWith: { $1 })
    let pairs = baseline.compactMap { before in
      after[before.run].map { (run: before.run, isEqual: $0 == before.text) }
    }
    comparedRuns = pairs.count
    equalRuns = pairs.count(where: \.isEqual)
    func contender(_ run: RunDigest.Run) -> ContenderIdentity {
      ContenderIdentity(scenario: run.scenario, policy: run.policy)
    }
    let named = Set(
      findings.map { ContenderIdentity(scenario: $0.figure.scenario, policy: $0.figure.policy) })
    let byContender = Dictionary(grouping: pairs) { contender($0.run) }
    changedPolicies = pairs.filter { !$0.isEqual }.distinct { contender($0.run) }.map { changed in
      let own = byContender[changed] ?? []
      return PolicyChange(
        contender: changed, seeds: own.filter { !$0.isEqual }.map(\.run.seed), compared: own.count,
        isNamed: named.contains(changed))
    }
  }
}

package struct Verdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    case passed
    /// A figure got worse, counted and timed ones included, a policy is gone, or a target is missed that the baseline
    /// did not miss.
    case failed
    /// The baseline, or its data for a scenario, cannot be compared with this run.
    case incompatible
    /// Data is missing or invalid, or the machine's noise prevents a decision on a target or a time.
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

  /// Why the baseline, or a scenario of it, cannot be compared; empty if everything can.
  package var incompatibilities: [Incompatibility]
  /// The changes in the caches of compared scenarios, by name.
  package var contenderChanges: [ScenarioChange] = []
  /// All figures that differ, in the order of the baseline, then of the candidate.
  package var findings: [Finding] = []
  /// The number of figures compared by name that were equal in all seeds.
  package var equalFigures = 0
  /// The number of runs compared by digest, and of those with equal exact figures.
  package var comparedRuns = 0
  package var equalRuns = 0
  /// The policies with differing digests, in the order of the baseline.
  package var changedPolicies: [PolicyChange] = []
  /// The policies whose findings are complete, from the rows of two builds.
  package internal(set) var listedPolicies: [ContenderIdentity] = []
  /// The policies that both runs have, in the order of the baseline.
  package var contenders: [ContenderIdentity] = []
  package var targets: [TargetComparison] = []
  /// Counted or timed figures.
  package var measured: [MeasuredFinding] = []
  /// Comparisons that were not made, and why, one line each.
  package var untested: [String] = []
  /// Contenders without figures, because their runs ended early.
  package var failedRuns: [FailedRun] = []
  /// Whether any change fails, not only a worse value.
  package var isStrict = false
  package var renewal = "tidemark bench --baseline"

  package init(incompatibilities: [Incompatibility]) {
    self.incompatibilities = incompatibilities
  }

  /// A certain failure outranks an inconclusive result, which outranks incompatibility.
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

/// A policy whose exact figures differ from the baseline's.
package struct PolicyChange: Hashable, Sendable {
  package let contender: ContenderIdentity
  package let seeds: [UInt64?]
  /// How many seeds were compared.
  package let compared: Int
  /// Whether a finding names the difference; otherwise it is in figures that are not compared by name.
  package internal(set) var isNamed: Bool
}

package struct FailedRun: Hashable, Sendable {
  package let contender: ContenderIdentity
  package let reason: String

  package init(_ contender: ContenderIdentity, reason: String) {
    self.contender = contender
    self.reason = reason
  }
}

package struct ScenarioChange: Hashable, Sendable {
  package let scenario: String
  package let fields: [FieldChange]

  package init(scenario: String, fields: [FieldChange]) {
    self.scenario = scenario
    self.fields = fields
  }
}

/// Why a baseline, or a scenario of it, cannot be compared with this run.
package enum Incompatibility: Hashable, Sendable {
  case emptyBaseline
  /// It has rows, but of none of the scenarios that were run.
  case otherScenarios([String])
  case schemaVersion(baseline: Int, expected: Int)
  /// The stored candidate is of another version.
  case candidateVersion(Int, expected: Int)
  /// The baseline cannot be read, for this reason, which ends with the remedy.
  case unreadable(String)
  case workloadChanged(ScenarioChange)
  case scenarioWithoutContent(String)
  case duplicateRow(ResultIdentity)
  /// No seed of the baseline was run.
  case noCommonRun(String, baseline: [UInt64?], candidate: [UInt64?])

  /// The scenario that is not compared; `nil`: all.
  package var scenario: String? {
    switch self {
    case .workloadChanged(let change): change.scenario
    case .scenarioWithoutContent(let scenario): scenario
    case .duplicateRow(let identity): identity.scenario
    case .noCommonRun(let scenario, _, _): scenario
    case .emptyBaseline, .otherScenarios, .schemaVersion, .candidateVersion, .unreadable: nil
    }
  }
}

extension TargetJudgement {
  /// Whether it is neither a pass nor a failure.
  package var leavesDoubt: Bool {
    switch outcome {
    case .met, .missed: false
    case .inconclusive, .missing: true
    }
  }
}
