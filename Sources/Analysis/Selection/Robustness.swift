/// Whether a verdict stands when the question is put a little differently.
package struct Robustness: Hashable, Sendable {
  /// The same contenders under another question.
  package struct Alternative: Hashable, Sendable {
    /// As a report names it: `4 × the duration`.
    package let label: String
    package let verdict: ShipVerdict

    package init(label: String, verdict: ShipVerdict) {
      self.label = label
      self.verdict = verdict
    }
  }

  package enum Answer: Hashable, Sendable {
    /// Whom the verdict names may be shipped there too.
    case agrees
    /// Somebody else is better there, or none may be shipped.
    case disagrees
    /// One of the two names none.
    case open
  }

  package let verdict: ShipVerdict
  /// In the order in which they were asked.
  package let alternatives: [Alternative]

  package init(of verdict: ShipVerdict, under alternatives: [Alternative]) {
    self.verdict = verdict
    self.alternatives = alternatives
  }

  /// What an alternative says to the verdict.
  ///
  /// It is open where somebody whom the verdict names had no part in it, as in a comparison over memory who does
  /// not say what it takes. It agrees where everybody whom the verdict names first is acceptable there, alone or among
  /// equivalents; where nothing tells several apart here but something does there, it disagrees.
  package func answer(of alternative: Alternative) -> Answer {
    let choice = verdict.choice
    // Who could not take part there was not asked.
    guard !choice.isEmpty, choice.allSatisfy({ alternative.verdict.standing(of: $0) != nil })
    else { return .open }
    switch alternative.verdict.outcome {
    case .ship, .equivalent:
      let acceptable = alternative.verdict.acceptable
      return choice.allSatisfy(acceptable.contains) ? .agrees : .disagrees
    case .noneFeasible: return .disagrees
    case .notDecided(let indecision):
      // What was dropped there is worse there, whoever of the rest is best.
      return choice.allSatisfy(indecision.left.contains) ? .open : .disagrees
    case .bestOfOneSeed, .nobody: return .open
    }
  }

  /// Those that contradict the verdict: a report names each.
  package var disagreeing: [Alternative] { alternatives.filter { answer(of: $0) == .disagrees } }

  /// Those that decide nothing about it.
  package var open: [Alternative] { alternatives.filter { answer(of: $0) == .open } }
}
