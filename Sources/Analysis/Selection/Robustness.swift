package import ResultModel

/// Whether a verdict stands when the question is put a little differently.
package struct Robustness: Hashable, Sendable {
  /// The same contenders under another question.
  package struct Alternative: Hashable, Sendable {
    /// As a report names it: `4 × the duration`.
    package let label: String
    package let verdict: ShipVerdict
    /// What the limits count that each exceeded, by the contender's name.
    package let exceededLimits: [String: String]

    package init(label: String, verdict: ShipVerdict, exceededLimits: [String: String] = [:]) {
      self.label = label
      self.verdict = verdict
      self.exceededLimits = exceededLimits
    }
  }

  package enum Answer: Hashable, Sendable {
    /// Whom the verdict names may be shipped there too, or none keeps the constraints in either.
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
  /// equivalents; where nothing tells several apart here but something does there, it disagrees. If no policy keeps
  /// the constraints here, it agrees if none does there, and disagrees if one may be shipped there.
  package func answer(of alternative: Alternative) -> Answer {
    if case .noneFeasible = verdict.outcome {
      if case .noneFeasible = alternative.verdict.outcome { return .agrees }
      return alternative.verdict.choice.isEmpty ? .open : .disagrees
    }
    // The best of few users is no choice, and may be set beside the best of the same users.
    let choice = verdict.choice.isEmpty ? verdict.named : verdict.choice
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
    case .bestOfOneSeed, .bestOfFewUsers:
      guard verdict.choice.isEmpty else { return .open }
      return choice.allSatisfy(alternative.verdict.named.contains) ? .agrees : .disagrees
    case .nobody: return .open
    }
  }

  /// Those that contradict the verdict: a report names each.
  package var disagreeing: [Alternative] { alternatives.filter { answer(of: $0) == .disagrees } }

  /// Those that decide nothing about it.
  package var open: [Alternative] { alternatives.filter { answer(of: $0) == .open } }
}

/// What a comparison of policies in one scenario came to.
package struct ScenarioVerdict: Hashable, Sendable {
  package let scenario: String
  /// `nil` where no policy competes.
  package let verdict: ShipVerdict?
  /// Why the winner has more fresh reads than the runner-up; `nil` where there are not both.
  package let margin: ReadMargin?
  /// Whether the verdict stands elsewhere; `nil` where that was not asked.
  package let robustness: Robustness?
  /// What both ends say, if the recording of an app leaves open which hits were fresh; ``verdict`` is there if
  /// they agree.
  package let recorded: RecordedVerdict?
  /// What the limits count that policies exceeded, as in `queries`, by the policy's name.
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

/// What one choice of a cache is worth in a scenario: fresh reads with it, less those of `lru`, seed by
/// seed.
package struct AxisEffect: Hashable, Sendable {
  package let scenario: String
  /// The choice, such as `time to live 60 s`.
  package let change: String
  /// Of the share of fresh reads; `nil` where it was not measured.
  package let difference: PairedInterval?

  package init(scenario: String, change: String, difference: PairedInterval?) {
    self.scenario = scenario
    self.change = change
    self.difference = difference
  }
}

/// How far the hit ratio that a log tells of its own cache lies from that of every simulated policy.
///
/// A cache that behaves like none of them is possible; a log or a model that is wrong is likelier.
package struct RecordedGap: Hashable, Sendable {
  package let recorded: Double
  /// The policy that comes nearest, the first of equals.
  package let nearest: String
  package let nearestRatio: Double

  /// A smaller distance says nothing: caches of one design differ as much.
  private static let threshold = 0.1

  /// `nil` where some policy is near, or the log tells of no outcome.
  ///
  /// - Parameters:
  ///   - scenario: whose rows to look at.
  ///   - rows: all rows, one of each kind.
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
