package import ResultModel

/// Compares a run with the committed baseline.
///
/// A seed draws the same stream for both, so where the digests of a run are equal, everything exact is.
/// The main figures, which a baseline has in plain text, are compared by name, paired over its seeds. Of
/// those that differ the mean difference decides: it is worse, or better, where Student's 95 % interval
/// about it leaves out zero and it is at least 0.05 points of a ratio or 0.5 % of anything else; else it
/// has changed and is not told apart. A strict comparison fails by any change: the same seed gave another
/// number, and renewing the baseline is how someone says that this was meant. Where a digest differs and
/// no main figure does, it is not known whether something got worse: doubt, and to a strict comparison a
/// failure. ``Verdict/list(from:to:of:recorded:)`` names it from the rows of both builds. Metrics of the
/// other noise classes are judged by targets only.
///
/// A target fails the gate where it is missed and the baseline did not miss it; see
/// ``TargetComparison`` for why.
package enum Gate {
  /// - Parameters:
  ///   - baseline: What was committed.
  ///   - candidate: What was run now; of the seeds, those of the baseline count, less those not run.
  ///   - targets: What is asked of both.
  ///   - isStrict: Whether any change fails.
  /// - Returns: The verdict; a scenario that cannot be compared does not keep others from it.
  package static func compare(
    baseline: ResultSet, candidate: ResultSet, targets: [Target], isStrict: Bool = false
  ) -> Verdict {
    let incompatibilities = obstacles(baseline: baseline, candidate: candidate)
    var verdict = Verdict(incompatibilities: incompatibilities)
    verdict.isStrict = isStrict
    // What is not comparable is not compared: a list of false differences would hide the cause.
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
      candidate: candidate.rows + candidate.rowsNotRun, baseline: exactBaseline)
    verdict.compare(
      baseline.digests.filter { !excluded.contains($0.scenario) }, candidate.digests)
    return verdict
  }

  /// The fields that differ in scenarios that both know.
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
    guard !baseline.rows.isEmpty, let version = baseline.schemaVersion else {
      let wanted = candidate.scenarios.map(\.scenario)
      return [baseline.rowsOfOthers > 0 ? .otherScenarios(wanted) : .emptyBaseline]
    }
    guard version == ResultSchema.version else {
      return [.schemaVersion(baseline: version, expected: ResultSchema.version)]
    }
    let known = Set(baseline.scenarios.map(\.scenario))
    let withRows = Set(baseline.rows.map(\.scenario))
    var obstacles: [Incompatibility] = candidate.scenarios.map(\.scenario)
      .filter { withRows.contains($0) && !known.contains($0) }
      .map { .scenarioWithoutContent($0) }
    obstacles += changes(\.workload, from: baseline, to: candidate)
      .filter { withRows.contains($0.scenario) }
      .map { .workloadChanged($0) }
    var seen: Set<ResultIdentity> = []
    for row in baseline.rows where !seen.insert(row.identity).inserted {
      obstacles.append(.duplicateRow(row.identity))
    }
    return obstacles
  }
}

extension Verdict {
  /// Names everything that differs from another build, of the policies whose digests differ: instead of what
  /// was found of their main figures.
  ///
  /// - Parameters:
  ///   - before: the exact rows of the build that made the baseline.
  ///   - after: those of this build.
  ///   - baseline: the digests of the baseline.
  ///   - recorded: the scenarios of one stream only.
  /// - Returns: the policies of which the other build does not have the baseline's digests. It did not make
  ///   the baseline, so of them nothing is said.
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

  /// Compares digests of runs; a policy or a seed that only one side has is found by its rows.
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
