package import ResultModel

/// Compares a run with the committed baseline.
///
/// Exact metrics are compared figure by figure, paired over the seeds of the baseline: a seed draws the
/// same stream for both. Equal rows are the same. Of others the mean difference decides: it is worse, or
/// better, where Student's 95 % interval about it leaves out zero and it is at least 0.05 points of a ratio
/// or 0.5 % of anything else; else it has changed and is not told apart. A strict comparison fails by any
/// change: the same seed gave another number, and renewing the baseline is how someone says that this was
/// meant. Metrics of the other noise classes are judged by targets only.
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
    verdict.equalRows = comparison.equalRows
    verdict.equalFigures = comparison.equalFigures
    verdict.contenders = comparison.contenders
    verdict.contenderChanges = changes(\.contenders, from: baseline, to: candidate)
      .filter { !excluded.contains($0.scenario) }
    verdict.targets = TargetComparison.all(
      targets.filter { !excluded.contains($0.scenario) },
      candidate: candidate.rows + candidate.rowsNotRun, baseline: exactBaseline)
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
