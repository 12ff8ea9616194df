package import ResultModel

/// The verdict on a recording of an app, in which the freshness of some hits may be unknown.
///
/// The rule is applied twice: as if all those hits were stale, and as if all were fresh. A result at both ends is
/// certain.
package struct RecordedVerdict: Hashable, Sendable {
  package let ifStale: ShipVerdict
  package let ifFresh: ShipVerdict
  /// The policies that are best at both ends; empty if the recording cannot say.
  package let best: [String]
  /// The objective of the first of them: with unknown hits stale, and with them fresh.
  package let objective: [Double]

  /// - Parameters:
  ///   - ifStale: By the rule that counts unknown hits as stale.
  ///   - ifFresh: By the rule that counts them as fresh.
  ///   - scenario: Whose rows count.
  ///   - rows: Of one run of each policy, or the means of several; of other scenarios, too.
  package init(ifStale: ShipVerdict, ifFresh: ShipVerdict, scenario: String, rows: [ResultRow]) {
    self.ifStale = ifStale
    self.ifFresh = ifFresh
    func value(_ verdict: ShipVerdict, of policy: String) -> Double? {
      verdict.rule.objective.value(
        in: rows.filter { $0.scenario == scenario && $0.policy == policy })
    }
    // Where no hit is known to have been fresh, all are alike at that end, which is no merit.
    let isOfFreshHits = ifStale.rule.objective.terms.contains { $0.statistic == .lower }
    best = ifStale.named.filter { policy in
      ifFresh.named.contains(policy)
        && (!isOfFreshHits || (value(ifStale, of: policy) ?? 0) > 0)
    }
    objective =
      best.first.map { policy in
        [ifStale, ifFresh].compactMap { value($0, of: policy) }
      } ?? []
  }

  /// The policies that are best at one end at least.
  package var candidates: [String] { (ifStale.named + ifFresh.named).distinct(\.self) }

  /// The limits of which it cannot say whether a policy keeps them: kept at one end, and broken at the other.
  package func openLimits(of policy: String) -> [Constraint] {
    func judgements(_ verdict: ShipVerdict) -> [ConstraintJudgement] {
      verdict.standing(of: policy)?.judgements ?? []
    }
    func isKept(_ judgement: ConstraintJudgement) -> Bool {
      judgement.constraint.isKept(by: judgement.value)
    }
    return zip(judgements(ifStale), judgements(ifFresh))
      .filter { isKept($0) != isKept($1) }.map(\.1.constraint)
  }
}
