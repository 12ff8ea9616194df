import Analysis
import ResultModel

/// How far a verdict holds under other conditions, in words.
extension VerdictText {
  /// Returns the checks that disagree or are undecided; `nil` if there were none.
  static func elsewhere(_ scenario: ScenarioVerdict) -> String? {
    guard let robustness = scenario.robustness, !robustness.alternatives.isEmpty else { return nil }
    let all = robustness.alternatives.count
    guard robustness.open.count < all else {
      return all == 1 ? "undecided in the only check" : "undecided in all \(all) checks"
    }
    let other = robustness.alternatives.filter {
      [.disagrees, .tied].contains(robustness.answer(of: $0))
    }.map { ($0.label, winner(of: $0, not: scenario)) }
    let open = robustness.open
    let agreeing = all - other.count - open.count
    let word = if case .ship = robustness.verdict.outcome { "winner" } else { "answer" }
    guard all > 1 else {
      return agreeing == 1
        ? "same \(word) in the only check"
        : "another answer in the only check: \(other[0].1) (\(other[0].0))"
    }
    let same = "same \(word) in \(agreeing == all ? "all" : "\(agreeing) of") \(all) checks"
    return ([same] + exceptions(other) + undecided(open)).joined(separator: "; ")
  }

  /// Returns the other answers, each with the number and the labels of its checks: "lru in 2 (by bytes, by waiting)".
  static func exceptions(_ checks: [(label: String, answer: String)]) -> [String] {
    checks.map(\.answer).distinct(\.self).map { answer in
      let labels = checks.filter { $0.answer == answer }.map(\.label)
      return "\(answer) in \(labels.count) (\(labels.joined(separator: ", ")))"
    }
  }

  /// The policies that an alternative names, and those of the verdict's choice that broke a limit there.
  static func winner(of alternative: Robustness.Alternative, not scenario: ScenarioVerdict)
    -> String
  {
    let broke = (scenario.verdict?.choice ?? []).filter {
      alternative.verdict.standing(of: $0)?.fate == .infeasible
    }
    let winner = short(alternative.verdict, alternative.exceededLimits)
    guard !broke.isEmpty, !alternative.verdict.acceptable.isEmpty else { return winner }
    return "\(winner), as \(broke.joined(separator: " and ")) exceeds a limit"
  }

  /// Lists open checks, those together in which it is unknown of the same constraints whether they are kept.
  private static func undecided(_ open: [Robustness.Alternative]) -> [String] {
    let limits = open.map { $0.verdict.undecidedConstraints.map(limit).joined(separator: ", ") }
    return limits.distinct(\.self).map { limit in
      let labels = zip(open, limits).filter { $1 == limit }.map(\.0.label)
      return "undecided in \(labels.count) (\(labels.joined(separator: ", "))"
        + (limit.isEmpty ? ")" : "; \(limit) is not decided there)")
    }
  }
}
