import ResultModel

/// A target in this run beside the same target, with the same limit, in the baseline.
///
/// A gate answers one question: did it get worse? A design may ask for more than any policy reaches;
/// were every missed target a failure, the gate would always fail and no one would look at it. So a
/// target that the baseline missed too is reported and does not fail. By how much it is missed is left
/// to the comparison of rows, which fails on any worse value of an exact metric.
package struct TargetComparison: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable, CaseIterable {
    case met
    /// Missed now, and the baseline met it or cannot say: fails.
    case missed
    /// Missed now as in the baseline: not worse, so it does not fail.
    case stillMissed
    /// There is no value to judge, or the machine cannot decide: never a pass, whatever the baseline
    /// says.
    case undecided
  }

  /// What the target came to in this run.
  package let judgement: TargetJudgement
  /// What it came to in the baseline; `nil` where the baseline cannot be compared.
  package let baseline: TargetJudgement?

  package init(judgement: TargetJudgement, baseline: TargetJudgement?) {
    self.judgement = judgement
    self.baseline = baseline
  }

  package var outcome: Outcome {
    switch judgement.outcome {
    case .met: .met
    case .missed: baseline?.outcome == .missed ? .stillMissed : .missed
    case .inconclusive, .missing: .undecided
    }
  }

  /// Judges targets over the rows of a run and of its baseline, in the order of the targets and of
  /// their policies.
  ///
  /// - Parameters:
  ///   - targets: What is asked of both.
  ///   - candidate: The rows of this run.
  ///   - baseline: The exact rows of the baseline, or `nil` where it cannot be compared. Times of
  ///     another run, maybe of another machine, must not be among them: they excuse nothing.
  /// - Returns: One comparison for each policy that a target binds.
  static func all(
    _ targets: [Target], candidate: [ResultRow], baseline: [ResultRow]?
  ) -> [TargetComparison] {
    let now = TargetJudge(rows: candidate).judge(targets)
    guard let baseline else { return now.map { TargetComparison(judgement: $0, baseline: nil) } }
    // Both are judged in the same order.
    return zip(now, TargetJudge(rows: baseline).judge(targets)).map {
      TargetComparison(judgement: $0, baseline: $1)
    }
  }
}
