package import ResultModel

/// Whether a verdict remains the same under varied conditions.
package struct Robustness: Hashable, Sendable {
  /// The same contenders under another condition.
  package struct Alternative: Hashable, Sendable {
    /// The name in reports: `4 × the duration`.
    package let label: String
    package let verdict: ShipVerdict
    /// The units of the exceeded limits, by the contender's name.
    package let exceededLimits: [String: String]

    package init(label: String, verdict: ShipVerdict, exceededLimits: [String: String] = [:]) {
      self.label = label
      self.verdict = verdict
      self.exceededLimits = exceededLimits
    }
  }

  package enum Answer: Hashable, Sendable {
    /// The recommended policies may be recommended there too, or no policy meets the constraints in either.
    case agrees
    /// The one winner is only one of several equals there.
    case tied
    /// Another policy is better there, or none may be recommended.
    case disagrees
    /// One of the two recommends none.
    case open
  }

  package let verdict: ShipVerdict
  /// In the order in which they were checked.
  package let alternatives: [Alternative]

  package init(of verdict: ShipVerdict, under alternatives: [Alternative]) {
    self.verdict = verdict
    self.alternatives = alternatives
  }

  /// Returns whether an alternative agrees with the verdict.
  ///
  /// It is open if a recommended policy did not take part, for example in a comparison of memory if it does
  /// not report its memory. It agrees if every first choice of the verdict is acceptable there, and is tied
  /// if one wins here but others are equal to it there; if several are equal here but differ there, it
  /// disagrees. If no policy meets the constraints here, it agrees if none does there, and disagrees if one
  /// may be recommended there.
  package func answer(of alternative: Alternative) -> Answer {
    if case .noneFeasible = verdict.outcome {
      if case .noneFeasible = alternative.verdict.outcome { return .agrees }
      return alternative.verdict.choice.isEmpty ? .open : .disagrees
    }
    // The best of few users is not a choice, but may be compared with the best of the same users.
    let choice = verdict.choice.isEmpty ? verdict.named : verdict.choice
    // A policy that did not take part was not checked.
    guard !choice.isEmpty, choice.allSatisfy({ alternative.verdict.standing(of: $0) != nil })
    else { return .open }
    switch alternative.verdict.outcome {
    case .ship, .equivalent:
      let acceptable = alternative.verdict.acceptable
      guard choice.allSatisfy(acceptable.contains) else { return .disagrees }
      if case .ship = verdict.outcome, acceptable.count > 1 { return .tied }
      return .agrees
    case .noneFeasible: return .disagrees
    case .notDecided(let indecision):
      // A dropped policy is worse there, whichever of the rest is best.
      return choice.allSatisfy(indecision.left.contains) ? .open : .disagrees
    case .bestOfOneSeed, .bestOfFewUsers:
      guard verdict.choice.isEmpty else { return .open }
      return choice.allSatisfy(alternative.verdict.named.contains) ? .agrees : .disagrees
    case .nobody: return .open
    }
  }

  /// The alternatives that contradict the verdict, for reports.
  package var disagreeing: [Alternative] { alternatives.filter { answer(of: $0) == .disagrees } }

  /// The undecided alternatives.
  package var open: [Alternative] { alternatives.filter { answer(of: $0) == .open } }
}

package struct ScenarioVerdict: Hashable, Sendable {
  package let scenario: String
  /// `nil` if no policy competes.
  package let verdict: ShipVerdict?
  /// Why the winner has more fresh hits than the runner-up; `nil` where there are not both.
  package let margin: ReadMargin?
  /// The robustness of the verdict; `nil` if not checked.
  package let robustness: Robustness?
  /// The verdicts in both cases, if an app's recording leaves open which hits were fresh; ``verdict`` is set
  /// if they agree.
  package let recorded: RecordedVerdict?
  /// The units of the limits that policies exceeded, as in `queries`, by policy.
  package let exceededLimits: [String: String]

  package init(
    scenario: String, verdict: ShipVerdict?, margin: ReadMargin? = nil,
    robustness: Robustness? = nil, recorded: RecordedVerdict? = nil,
    exceededLimits: [String: String] = [:]
  ) {
    self.exceededLimits = exceededLimits
    self.scenario = scenario
    self.verdict = verdict
    self.margin = margin
    self.robustness = robustness
    self.recorded = recorded
  }
}

/// The effect of changing one setting of `lru` in a scenario: the difference in fresh hits, seed by
/// seed.
package struct AxisEffect: Hashable, Sendable {
  package let scenario: String
  /// The choice, such as `time to live 60 s`.
  package let change: String
  /// Of the share of fresh hits; `nil` where it was not measured.
  package let difference: PairedInterval?

  package init(scenario: String, change: String, difference: PairedInterval?) {
    self.scenario = scenario
    self.change = change
    self.difference = difference
  }
}

/// The distance between a log's hit ratio and those of all simulated policies.
///
/// The cache may behave like none of them; an error in the log or the model is likelier.
package struct RecordedGap: Hashable, Sendable {
  package let recorded: Double
  /// The nearest policy, the first of equals.
  package let nearest: String
  package let nearestRatio: Double

  /// The largest irrelevant distance: caches of one design differ as much.
  private static let threshold = 0.1

  /// Creates a gap; `nil` if any policy is near, or the log has no outcomes.
  package init?(scenario: String, rows: [ResultRow]) {
    let ratios = rows.filter {
      $0.scenario == scenario && $0.class == "all" && $0.metric == .hitRatio
    }
    func distance(_ row: ResultRow, _ recorded: Double) -> Double? {
      row.value.map { abs($0.asDouble - recorded) }
    }
    guard
      let recorded = ratios.first(where: { $0.policy == ResultRow.recordedPolicy })?.value?
        .asDouble
    else { return nil }
    let simulated = ratios.filter { $0.policy != ResultRow.recordedPolicy && $0.value != nil }
    let nearest = simulated.min {
      (distance($0, recorded) ?? .infinity) < (distance($1, recorded) ?? .infinity)
    }
    guard let nearest, let ratio = nearest.value?.asDouble,
      abs(ratio - recorded) > Self.threshold
    else { return nil }
    self.recorded = recorded
    self.nearest = nearest.policy
    nearestRatio = ratio
  }
}
