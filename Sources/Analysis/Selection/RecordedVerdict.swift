package import ResultModel

/// The verdict on an app's recording, in which the freshness of some hits may be unknown.
///
/// The goal is applied twice: with those hits counted as stale, and as fresh. A result in both cases is
/// certain.
package struct RecordedVerdict: Hashable, Sendable {
  package let ifStale: ShipVerdict
  package let ifFresh: ShipVerdict
  /// The policies that are best in both cases; empty if the recording cannot decide.
  package let best: [String]
  /// Why the best in both cases are not named: what was recorded is too little; `nil`: it is enough, or it cannot
  /// decide anyway.
  package let obstacle: String?
  /// The objective of the first of them: with unknown hits stale, and fresh.
  package let objective: [Double]

  /// Whether even with unknown hits fresh the best has none.
  package let isWithoutHits: Bool

  /// - Parameters:
  ///   - ifStale: the verdict that counts unknown hits as stale.
  ///   - ifFresh: the verdict that counts them as fresh.
  ///   - scenario: the scenario.
  ///   - rows: the rows of one run of each policy, or means of several; of other scenarios, too.
  ///   - obstacle: why no policy may be named; `nil`: nothing.
  package init(
    ifStale: ShipVerdict, ifFresh: ShipVerdict, scenario: String, rows: [ResultRow],
    obstacle: String? = nil
  ) {
    self.ifStale = ifStale
    self.ifFresh = ifFresh
    func value(_ verdict: ShipVerdict, of policy: String) -> Double? {
      verdict.rule.objective.value(
        in: rows.filter { $0.scenario == scenario && $0.policy == policy })
    }
    // If no hit is known to have been fresh, all policies are equal in that case, which is not a merit.
    let isOfFreshHits = ifStale.rule.objective.terms.contains { $0.statistic == .lower }
    let decided = ifStale.named.filter { policy in
      ifFresh.named.contains(policy)
        && (!isOfFreshHits || (value(ifStale, of: policy) ?? 0) > 0)
    }
    isWithoutHits =
      isOfFreshHits && ifFresh.named.first.flatMap { value(ifFresh, of: $0) } == 0
    self.obstacle = decided.isEmpty ? nil : obstacle
    best = obstacle == nil ? decided : []
    objective =
      best.first.map { policy in
        [ifStale, ifFresh].compactMap { value($0, of: policy) }
      } ?? []
  }

  /// The policies that are best in at least one case.
  package var candidates: [String] { (ifStale.named + ifFresh.named).distinct(\.self) }

  /// Returns the limits that a policy meets in one case and violates in the other.
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
