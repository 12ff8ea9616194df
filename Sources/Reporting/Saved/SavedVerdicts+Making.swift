package import Analysis
import ResultModel

extension SavedVerdicts {
  package mutating func add(_ judgements: [TargetJudgement]) {
    targets += judgements.map { judgement in
      SavedTarget(
        scenario: judgement.target.scenario, policy: judgement.policy,
        name: judgement.target.name, limit: judgement.target.limitText,
        measured: judgement.measuredText,
        outcome: SavedTarget.Outcome(judgement.outcome), reason: judgement.outcome.reason)
    }
  }
}

extension SavedTarget.Outcome {
  fileprivate init(_ outcome: TargetJudgement.Outcome) {
    self =
      switch outcome {
      case .met: .met
      case .missed: .missed
      case .inconclusive: .inconclusive
      case .missing: .missing
      }
  }
}

extension SavedInterval {
  init(_ interval: MeanInterval) {
    self.init(
      mean: interval.mean, halfWidth: interval.halfWidth, seeds: interval.count,
      level: interval.level)
  }
}

extension SavedScenario {
  /// Creates the saved form of a verdict.
  package init(
    _ verdict: ScenarioVerdict, effects: [AxisEffect], verdictCommand: String, rowsCommand: String
  ) {
    let ship = verdict.verdict
    let figure = ship?.rule.objective
    self.init(
      scenario: verdict.scenario, outcome: Outcome(verdict),
      objective: figure?.name ?? Metric.freshHitRatio.name,
      unit: (figure?.unit ?? .ratio).rawValue, seeds: ship?.seeds ?? 0,
      sentence: VerdictText.sentence(verdict), verdictCommand: verdictCommand,
      rowsCommand: rowsCommand)
    replicate = (ship ?? verdict.recorded?.ifFresh)?.replicate.rawValue
    choice = ship?.choice ?? []
    candidates = Self.candidates(of: verdict)
    if case .ship(let recommendation) = ship?.outcome {
      runnerUp = recommendation.runnerUp
      lead = recommendation.lead.map(SavedInterval.init)
    }
    reason = VerdictText.reason(verdict)
    if let ship {
      zone = "± \(VerdictText.zone(ship))"
      if case .equivalent(let equivalence) = ship.outcome {
        reason = VerdictText.preference(equivalence)
      }
    }
    standings = (ship?.standings ?? []).map(SavedStanding.init)
    if let robustness = verdict.robustness {
      alternatives = robustness.alternatives.map { alternative in
        SavedAlternative(
          label: alternative.label,
          answer: SavedAlternative.Answer(robustness.answer(of: alternative)),
          verdict: VerdictText.winner(of: alternative, not: verdict))
      }
    }
    self.effects = effects.filter { $0.scenario == verdict.scenario }.map {
      SavedEffect(change: $0.change, difference: $0.difference.map(SavedInterval.init))
    }
  }

  private static func candidates(of verdict: ScenarioVerdict) -> [String] {
    switch verdict.verdict?.outcome {
    case .ship, .nobody: []
    case .equivalent(let equivalence): equivalence.contenders
    case .notDecided(let indecision):
      // The leader comes first.
      indecision.left.filter { $0 == indecision.leader }
        + indecision.left.filter { $0 != indecision.leader }
    case .noneFeasible(let shortfall): [shortfall.nearest]
    case .bestOfOneSeed(let best): best
    case .bestOfFewUsers(let few): few.best
    case nil: verdict.recorded?.candidates ?? []
    }
  }
}

extension SavedScenario.Outcome {
  fileprivate init(_ verdict: ScenarioVerdict) {
    self =
      switch verdict.verdict?.outcome {
      case .ship: .ship
      case .equivalent: .equivalent
      case .notDecided: .notDecided
      case .noneFeasible: .noneFeasible
      case .bestOfOneSeed: .oneSeed
      case .bestOfFewUsers: .fewUsers
      case .nobody: .nobody
      case nil: verdict.recorded == nil ? .nobody : .cannotSay
      }
  }
}

extension SavedStanding {
  fileprivate init(_ standing: Standing) {
    policy = standing.contender
    fate =
      switch standing.fate {
      case .left: .left
      case .behind: .behind
      case .infeasible: .infeasible
      case .withoutFigures: .withoutFigures
      }
    objective = standing.objective.map(SavedInterval.init)
    behind = standing.comparison.map { SavedInterval($0.behind) }
    reference = standing.comparison?.reference
  }
}

extension SavedAlternative.Answer {
  fileprivate init(_ answer: Robustness.Answer) {
    self =
      switch answer {
      case .agrees: .agrees
      case .disagrees: .disagrees
      case .tied: .tied
      case .open: .open
      }
  }
}
