package struct ShipVerdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case ship(Recommendation)
    case equivalent(Equivalence)
    case notDecided(Indecision)
    /// Every contender violates a constraint.
    case noneFeasible(Shortfall)
    /// One seed was run; the best of it, which is not a verdict, or several equal ones. Contenders that
    /// violate a constraint are excluded, so there may be none.
    case bestOfOneSeed([String])
    case bestOfFewUsers(Unvalidated)
    /// No contender has the figures required by the goal.
    case nobody
  }

  package let outcome: Outcome
  package let rule: Goal
  /// The number of common seeds at the last look; 0 if there was none.
  package let seeds: Int
  /// Whether these are seeds or recorded users.
  package let replicate: Replicate
  package let level: Double
  package let standings: [Standing]

  package func standing(of contender: String) -> Standing? {
    standings.first { $0.contender == contender }
  }

  /// The policies that may be recommended; empty if there are none.
  package var acceptable: [String] {
    switch outcome {
    case .ship(let recommendation): [recommendation.contender]
    case .equivalent(let equivalence): equivalence.contenders
    case .notDecided, .noneFeasible, .bestOfOneSeed, .bestOfFewUsers, .nobody: []
    }
  }

  /// The best policies so far: those that may be recommended, or the best of one seed or of few users.
  package var named: [String] {
    switch outcome {
    case .bestOfOneSeed(let best): best
    case .bestOfFewUsers(let few): few.best
    default: acceptable
    }
  }

  /// The undecided constraints, in the order of the goal.
  ///
  /// The limit of each is within the interval of a remaining policy.
  package var undecidedConstraints: [Constraint] {
    guard case .notDecided = outcome else { return [] }
    let open = standings.filter { $0.fate == .left }.flatMap(\.judgements)
      .filter { $0.outcome == .notDecided }.map(\.constraint)
    return rule.constraints.filter(open.contains)
  }

  /// The first choices; several if they are equal, none if no policy may be recommended.
  package var choice: [String] {
    if case .equivalent(let equivalence) = outcome { equivalence.preferred } else { acceptable }
  }
}

package struct Recommendation: Hashable, Sendable {
  package let contender: String
  /// The contender that was dropped last, the nearest of several; `nil` if no other met the constraints.
  package let runnerUp: String?
  /// How much better the objective is than the runner-up's, over their common seeds; positive is better,
  /// whatever the direction.
  package let lead: PairedInterval?
}

/// The remaining contenders differ by no more than the zone.
package struct Equivalence: Hashable, Sendable {
  /// The equivalent contenders: the preferred first, each part in the order given.
  package let contenders: [String]
  /// The first choices; several if they are equal.
  package let preferred: [String]
  /// The reasons for excluding the others, in that order.
  package let separations: [Separation]

  package struct Separation: Hashable, Sendable {
    package let contender: String
    package let figure: Figure
    /// The contender with the least of that figure at that point.
    package let reference: String
    /// How much more the contender has.
    package let excess: PairedInterval
    /// The same as a share of the reference's mean; infinite if that is zero.
    package let share: Double
  }
}

/// Several contenders are left without a significant difference, or one with an undecided constraint.
package struct Indecision: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// The last look of the plan was made, or one after which further looks would probably not decide.
    case lastLook
    /// The caller stopped earlier.
    case stopped
    /// The remaining contenders violated a constraint in later seeds; others had been dropped because of
    /// them.
    case leadersFailed
  }

  package let cause: Cause
  /// The remaining contenders, in the order given.
  package let left: [String]
  /// The best mean of those that meet every constraint; `nil` if none provably does.
  package let leader: String?
  /// The total number of seeds that would decide, with unchanged means and spread; `nil` if no number would,
  /// or there was no look.
  package let seedsNeeded: Int?
}

/// The best by its mean; it may not be the best for other users.
package struct Unvalidated: Hashable, Sendable {
  /// Several if they are equal; none if each violates a limit.
  package let best: [String]
  /// The next that meets the limits; `nil` if there is none.
  package let runnerUp: String?
  /// How much better the objective's mean is than the runner-up's; positive, whatever the direction.
  package let lead: Double?
  /// The objective's mean; `nil` if there is no best.
  package let mean: Double?
}

package struct Shortfall: Hashable, Sendable {
  package let nearest: String
  /// The constraints that it violates, the largest violation first.
  package let broken: [ConstraintJudgement]
}

package struct Standing: Hashable, Sendable {
  package enum Fate: Hashable, Sendable {
    case left
    /// Dropped: worse than the best, and not provably within the zone.
    case behind
    /// Dropped: it violates a constraint.
    case infeasible
    /// It did not compete, since a seed lacks one of these figures.
    case withoutFigures([Figure])
  }

  package let contender: String
  /// Whether its memory is unknown, so that it had no limit.
  package let isMemoryUnknown: Bool
  package let fate: Fate
  /// The number of seeds of the figures below; for a dropped contender, at the look that dropped it.
  package let seeds: Int
  /// The objective's mean with its 95 % interval; `nil` for fewer than two seeds.
  package let objective: MeanInterval?
  /// The judgement of each constraint that applies to it, in the goal's order.
  package let judgements: [ConstraintJudgement]
  /// The comparison with the best; `nil` for the best itself, or if there was none.
  package let comparison: Comparison?

  /// How far a contender is behind the best.
  package struct Comparison: Hashable, Sendable {
    /// The best mean of those that met every constraint at that look.
    package let reference: String
    /// Positive is worse than the reference, whatever the direction; in the unit of the objective.
    package let behind: PairedInterval
    /// Half the width of the zone about zero at that look.
    package let zone: Double

    /// Whether it is significantly worse, and possibly by more than the zone.
    package var isDropped: Bool { behind.low > 0 && behind.high > zone }

    /// Whether it provably differs by no more than the zone.
    package var isWithinZone: Bool { behind.low >= -zone && behind.high <= zone }
  }
}
