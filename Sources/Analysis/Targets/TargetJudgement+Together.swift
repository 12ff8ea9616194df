extension Sequence<TargetJudgement> {
  /// What several targets of one run come to together.
  ///
  /// Missed where any is, since each is judged beside a control of its own; met where all are; else why
  /// the first that is neither has no verdict. Where nothing was judged nothing is met.
  package var together: TargetJudgement.Outcome {
    var together: TargetJudgement.Outcome?
    for judgement in self {
      switch (together, judgement.outcome) {
      case (_, .missed): return .missed
      case (nil, _), (.met, _): together = judgement.outcome
      default: break
      }
    }
    return together ?? .missing(reason: "nothing was judged")
  }
}
