/// What a selection came to, and what stands behind it.
package struct ShipVerdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case ship(Recommendation)
    case equivalent(Equivalence)
    case notDecided(Indecision)
    /// Every contender breaks a constraint.
    case noneFeasible(Shortfall)
    /// One seed was run; the best of it, which is no verdict, or several that are level. Who breaks a
    /// constraint there is left out, so there may be none.
    case bestOfOneSeed([String])
    /// The best of too few users for any interval.
    case bestOfFewUsers(Unvalidated)
    /// No contender has the figures that the rule asks for.
    case nobody
  }

  package let outcome: Outcome
  package let rule: Goal
  /// The common seeds behind the last look; 0 where there was none.
  package let seeds: Int
  /// Whether these are seeds, or users that were recorded.
  package let replicate: Replicate
  /// The level of the intervals between contenders.
  package let level: Double
  /// One for each contender, in the order given.
  package let standings: [Standing]

  package func standing(of contender: String) -> Standing? {
    standings.first { $0.contender == contender }
  }

  /// Who may be shipped as far as this verdict goes; empty where it names none.
  package var acceptable: [String] {
    switch outcome {
    case .ship(let recommendation): [recommendation.contender]
    case .equivalent(let equivalence): equivalence.contenders
    case .notDecided, .noneFeasible, .bestOfOneSeed, .bestOfFewUsers, .nobody: []
    }
  }

  /// The policies that are best as far as this goes: those that may be shipped, or the best of one seed or of
  /// few users.
  package var named: [String] {
    switch outcome {
    case .bestOfOneSeed(let best): best
    case .bestOfFewUsers(let few): few.best
    default: acceptable
    }
  }

  /// The constraints that keep the seeds from deciding, in the order of the rule.
  ///
  /// The limit of each lies within the interval of a policy that is left.
  package var undecidedConstraints: [Constraint] {
    guard case .notDecided = outcome else { return [] }
    let open = standings.filter { $0.fate == .left }.flatMap(\.judgements)
      .filter { $0.outcome == .notDecided }.map(\.constraint)
    return rule.constraints.filter(open.contains)
  }

  /// Who is named first; several where nothing tells them apart, none where none may be shipped.
  package var choice: [String] {
    if case .equivalent(let equivalence) = outcome { equivalence.preferred } else { acceptable }
  }
}

/// One contender is left.
package struct Recommendation: Hashable, Sendable {
  package let contender: String
  /// Who was dropped last, of several the nearest; `nil` where no other kept the constraints.
  package let runnerUp: String?
  /// By how much the objective is better than the runner-up's, over the seeds that both ran; positive
  /// is better, whichever the direction.
  package let lead: PairedInterval?
}

/// What is left differs by no more than the zone.
package struct Equivalence: Hashable, Sendable {
  /// Who is equivalent: the preferred first, each part in the order given.
  package let contenders: [String]
  /// Who is named first; several where nothing tells them apart.
  package let preferred: [String]
  /// What tells the others from the preferred, in the order in which they were set aside.
  package let separations: [Separation]

  /// A figure by which a contender was set aside.
  package struct Separation: Hashable, Sendable {
    package let contender: String
    package let figure: Figure
    /// The lowest of that figure among those that were left then.
    package let reference: String
    /// How much more the contender has of it.
    package let excess: PairedInterval
    /// The same as a share of the reference's mean; infinite where that is zero.
    package let share: Double
  }
}

/// Several are left, and the seeds do not tell them apart, or one whose constraint is not decided.
package struct Indecision: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// The last look of the plan was made, or one after which the others would hardly tell.
    case lastLook
    /// The caller stopped before it.
    case stopped
    /// Those that were left broke a constraint in later seeds; others had been dropped for them.
    case leadersFailed
  }

  package let cause: Cause
  /// Who is left, in the order given.
  package let left: [String]
  /// The best mean of those that keep every constraint; `nil` where none does beyond doubt.
  package let leader: String?
  /// How many seeds in all would decide, if means and spread stayed as they are; `nil` where no
  /// number would, or nothing was looked at.
  package let seedsNeeded: Int?
}

/// The best by its mean, of which nobody knows whether it would be so with other users.
package struct Unvalidated: Hashable, Sendable {
  /// Several that are level; none where each breaks a limit.
  package let best: [String]
  /// The next that keeps the limits; `nil` where there is none.
  package let runnerUp: String?
  /// By how much the objective's mean is better than the runner-up's; positive, whichever the direction.
  package let lead: Double?
  /// The objective's mean; `nil` where none is best.
  package let mean: Double?
}

/// How far from feasible the nearest contender is.
package struct Shortfall: Hashable, Sendable {
  package let nearest: String
  /// The constraints that it breaks, the one that it misses by most first.
  package let broken: [ConstraintJudgement]
}

/// How one contender stands at the last look that it took part in.
package struct Standing: Hashable, Sendable {
  package enum Fate: Hashable, Sendable {
    case left
    /// Dropped: worse than the best, and not provably within the zone.
    case behind
    /// Dropped: it breaks a constraint.
    case infeasible
    /// It did not compete, since a seed lacks one of these figures.
    case withoutFigures([Figure])
  }

  package let contender: String
  /// Whether what it takes in memory cannot be seen, so that it was held to no limit.
  package let isMemoryUnknown: Bool
  package let fate: Fate
  /// The seeds behind the figures below; for who was dropped, the look at which it was.
  package let seeds: Int
  /// The objective's mean with its 95 % interval; `nil` of fewer than two seeds.
  package let objective: MeanInterval?
  /// One for each constraint of the rule that binds it, in the rule's order.
  package let judgements: [ConstraintJudgement]
  /// Against the best; `nil` for the best itself, and where none could be named.
  package let comparison: Comparison?

  /// How far a contender is behind the best.
  package struct Comparison: Hashable, Sendable {
    /// The best mean of those that keep every constraint, then.
    package let reference: String
    /// Positive is worse than the reference, whichever the direction; in the unit of the objective.
    package let behind: PairedInterval
    /// Half the width of the zone about zero, then.
    package let zone: Double

    /// Worse beyond doubt, and possibly by more than the zone.
    package var isDropped: Bool { behind.low > 0 && behind.high > zone }

    /// Different by no more than the zone, beyond doubt.
    package var isWithinZone: Bool { behind.low >= -zone && behind.high <= zone }
  }
}
