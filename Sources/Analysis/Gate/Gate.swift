package import Metrics

/// Compares a run with the committed baseline.
///
/// Exact metrics are compared for equality, row by row. A worse value fails. A better value passes,
/// and the report asks for a new baseline. A change of a metric that has no better direction fails
/// too: the same seed gave another number, so the cache behaves differently, and renewing the
/// baseline is how someone says that this was meant. Metrics of the other noise classes are judged
/// by targets only.
///
/// A target fails the gate where it is missed and the baseline did not miss it; see
/// ``TargetComparison`` for why.
package enum Gate {
  package static func compare(
    baseline: ResultSet, candidate: ResultSet, targets: [Target]
  ) -> Verdict {
    let incompatibilities = obstacles(baseline: baseline, candidate: candidate)
    // What is not comparable is not compared: a list of false differences would hide the cause.
    guard incompatibilities.isEmpty else {
      return Verdict(
        incompatibilities: incompatibilities, differences: [], equalRows: 0,
        targets: TargetComparison.all(targets, candidate: candidate.rows, baseline: nil))
    }
    var comparison = RowComparison(candidate: exact(candidate.rows))
    let exactBaseline = exact(baseline.rows)
    comparison.compare(baseline: exactBaseline)
    return Verdict(
      incompatibilities: [], differences: comparison.differences, equalRows: comparison.equalRows,
      targets: TargetComparison.all(
        targets, candidate: candidate.rows, baseline: exactBaseline))
  }

  /// Rows to compare for equality.
  private static func exact(_ rows: [ResultRow]) -> [ResultRow] {
    rows.filter { $0.metric.noiseClass == .exact }
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
    var obstacles: [Incompatibility] = []
    for scenario in candidate.scenarios {
      let isBaselined = baseline.rows.contains { $0.scenario == scenario.scenario }
      guard isBaselined else { continue }
      guard let known = baseline.scenarios.first(where: { $0.scenario == scenario.scenario }) else {
        obstacles.append(.scenarioWithoutDigest(scenario.scenario))
        continue
      }
      if known.digest != scenario.digest { obstacles.append(.scenarioChanged(scenario.scenario)) }
    }
    var seen: Set<ResultIdentity> = []
    for row in baseline.rows where !seen.insert(row.identity).inserted {
      obstacles.append(.duplicateRow(row.identity))
    }
    return obstacles
  }
}
