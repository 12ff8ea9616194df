import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// What a search came to, in a line.
struct BestLine {
  var verdict: ShipVerdict
  /// How many settings were tried.
  var trials: Int

  /// Who is named: the best, or the nearest to being one; `nil` where none has the figures.
  var setting: String? {
    switch verdict.outcome {
    case .ship(let recommendation): recommendation.contender
    case .equivalent(let equivalence): equivalence.preferred.first
    case .notDecided(let indecision): indecision.leader ?? indecision.left.first
    case .noneFeasible(let shortfall): shortfall.nearest
    case .bestOfOneSeed(let best): best.first
    case .nobody: nil
    }
  }

  var text: String {
    let seeds = "\(verdict.seeds) \(verdict.seeds == 1 ? "seed" : "seeds")"
    let of = "best of \(trials) \(trials == 1 ? "trial" : "trials")"
    switch verdict.outcome {
    case .ship(let recommendation):
      var text = "\(of): \(figures(recommendation.contender)) (\(seeds))"
      if let lead = recommendation.lead, let runnerUp = recommendation.runnerUp {
        text += "; \(VerdictText.difference(lead, verdict.rule)) ahead of \(runnerUp)"
      }
      return text
    case .equivalent(let equivalence):
      let others = equivalence.contenders.count - 1
      let first = equivalence.preferred.first ?? ""
      let rest =
        others > 0
        ? "; \(others) \(others == 1 ? "other is" : "others are") equivalent for all that matters"
        : ""
      return "\(of): \(figures(first)) (\(seeds))\(rest)"
    case .notDecided(let indecision):
      guard let leader = indecision.leader else {
        return "\(of): not decided, since whether a limit is kept is open of "
          + indecision.left.prefix(3).joined(separator: ", ") + " (\(seeds))"
      }
      let others = indecision.left.count - 1
      let needed = indecision.seedsNeeded.map { "; about \($0) seeds would tell" } ?? ""
      return "\(of) so far: \(figures(leader)) (\(seeds)); "
        + "\(others) \(others == 1 ? "other is" : "others are") not told apart from it\(needed)"
    case .noneFeasible(let shortfall):
      let missed = shortfall.broken.first.map { judgement in
        let limit = judgement.constraint
        return " meets \(limit.figure.name) \(limit.comparison == .atMost ? "≤" : "≥") "
          + HumanNumber.text(.real(limit.limit), unit: limit.figure.unit) + "; nearest: "
          + "\(shortfall.nearest) with "
          + HumanNumber.text(.real(judgement.value), unit: limit.figure.unit)
      }
      return "none of \(trials) trials\(missed ?? " keeps the limits") (\(seeds))"
    case .bestOfOneSeed(let best):
      guard let first = best.first else { return "none of \(trials) keeps the limits in this seed" }
      let others = best.count - 1
      return "best of one seed, not a verdict: \(first)"
        + (others > 0 ? " and \(others) that \(others == 1 ? "is" : "are") level with it" : "")
    case .nobody:
      return "no setting has the figures that decide"
    }
  }

  /// A setting with its mean, and with what it has of what is limited.
  private func figures(_ setting: String) -> String {
    guard let standing = verdict.standing(of: setting) else { return setting }
    var parts: [String] = []
    if let mean = standing.objective {
      let figure = verdict.rule.objective
      parts.append(
        HumanNumber.interval(mean.mean, mean.halfWidth, unit: figure.unit) + " \(figure.name)")
    }
    for judgement in standing.judgements where judgement.constraint.scope == .mean {
      let figure = judgement.constraint.figure
      parts.append("\(figure.name) \(HumanNumber.text(.real(judgement.value), unit: figure.unit))")
    }
    return parts.isEmpty ? setting : "\(setting): " + parts.joined(separator: ", ")
  }
}
