package import Analysis
import ResultModel

/// A verdict in sentences: whom to ship, by how much, how sure, and why.
package enum VerdictText {
  /// The verdict in one sentence.
  package static func sentence(_ scenario: ScenarioVerdict) -> String {
    if let hits = scenario.mostHits { return sentence(hits) }
    guard let verdict = scenario.verdict else { return "no policy competes" }
    let parts = [answer(verdict), reason(scenario), remark(verdict)]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  /// Where the verdict does not stand, or cannot be told; `nil` where that was not asked.
  static func elsewhere(_ scenario: ScenarioVerdict) -> String? {
    guard let robustness = scenario.robustness, !robustness.alternatives.isEmpty else { return nil }
    let other = robustness.disagreeing.map { "\($0.label): \(short($0.verdict))" }
    let open = robustness.open.map(\.label)
    var parts: [String] = []
    if !other.isEmpty { parts.append("otherwise " + other.joined(separator: "; ")) }
    if !open.isEmpty { parts.append("open " + open.joined(separator: ", ")) }
    let agreeing = robustness.alternatives.count - other.count - open.count
    if agreeing > 0 { parts.append("the same in \(agreeing) of \(robustness.alternatives.count)") }
    return parts.joined(separator: "; ")
  }

  /// Who is named, in a word or two.
  static func short(_ verdict: ShipVerdict) -> String {
    switch verdict.outcome {
    case .ship(let recommendation): recommendation.contender
    case .equivalent(let equivalence): equivalence.contenders.joined(separator: " = ")
    case .notDecided(let indecision): "not decided: " + indecision.left.joined(separator: ", ")
    case .noneFeasible: "none feasible"
    case .bestOfOneSeed(let best): best.joined(separator: " = ") + " (one seed)"
    case .nobody: "no figures"
    }
  }

  private static func answer(_ verdict: ShipVerdict) -> String {
    let rule = verdict.rule
    switch verdict.outcome {
    case .ship(let recommendation):
      let ship = "ship \(recommendation.contender): \(mean(of: recommendation.contender, verdict))"
      guard let runnerUp = recommendation.runnerUp, let lead = recommendation.lead else {
        return ship + "; no other keeps the limits (\(seeds(verdict)))"
      }
      return ship + ", \(difference(lead, rule)) ahead of \(runnerUp) (\(seeds(verdict)))"
    case .equivalent(let equivalence):
      return equivalent(equivalence, verdict)
    case .notDecided(let indecision):
      return undecided(indecision, verdict)
    case .noneFeasible(let shortfall):
      let missed = shortfall.broken.first.map { judgement in
        "none meets \(limit(judgement.constraint)); nearest: \(shortfall.nearest) with "
          + HumanNumber.text(.real(judgement.value), unit: judgement.constraint.figure.unit)
      }
      return (missed ?? "none keeps the limits") + " (\(seeds(verdict)))"
    case .bestOfOneSeed(let best):
      guard let first = best.first else { return "no policy keeps the limits in this one seed" }
      let value = objective(of: first, verdict).map { ", \($0)" } ?? ""
      return "best of one seed, not a verdict: \(best.joined(separator: " = "))\(value)"
    case .nobody:
      return "no policy has the figures that decide"
    }
  }

  private static func equivalent(_ equivalence: Equivalence, _ verdict: ShipVerdict) -> String {
    let names = equivalence.contenders.joined(separator: ", ")
    let zone = zone(verdict)
    let head = "equivalent within ± \(zone): \(names) (\(seeds(verdict)))"
    guard equivalence.preferred.count < equivalence.contenders.count else {
      return equivalence.contenders.count > 1 ? head + "; nothing tells them apart" : head
    }
    return preference(equivalence).map { "\(head); \($0)" } ?? head
  }

  /// Why some of those that are equivalent are named first; `nil` where nothing tells them apart.
  static func preference(_ equivalence: Equivalence) -> String? {
    guard equivalence.preferred.count < equivalence.contenders.count,
      let separation = equivalence.separations.last
    else { return nil }
    let first = equivalence.preferred.joined(separator: " and ")
    let verb = equivalence.preferred.count > 1 ? "are" : "is"
    return "\(first) \(verb) named first: \(separation.contender) "
      + excess(of: separation.figure, HumanNumber.percent(separation.share))
  }

  private static func undecided(_ indecision: Indecision, _ verdict: ShipVerdict) -> String {
    var text = "not decided after \(seeds(verdict)): \(indecision.left.joined(separator: ", "))"
    switch indecision.cause {
    case .lastLook: break
    case .stopped: text += "; stopped before its last look"
    case .leadersFailed: text += "; who led broke a limit in later seeds"
    }
    if let leader = indecision.leader { text += "; \(leader) has the best mean" }
    if let needed = indecision.seedsNeeded, needed > verdict.seeds {
      text += "; about \(HumanNumber.count(Double(needed))) seeds would tell"
    }
    return text
  }

  private static func sentence(_ hits: MostHits) -> String {
    let shown = hits.policies.prefix(3)
    let others = hits.policies.count - shown.count
    let names = shown.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    let alike = hits.policies.count > 1 ? " alike" : ""
    var ahead = ""
    if let runnerUp = hits.runnerUp, let margin = hits.margin {
      ahead = ", \(HumanNumber.points(margin)) points ahead of \(runnerUp)"
    }
    return "most hits: \(names)\(alike), \(HumanNumber.percent(hits.hitRatio))\(ahead); "
      + "whether they were fresh is not known, so no winner is named"
  }

  // MARK: Parts of sentences

  /// The largest cause of a margin: "spacedrive lost 584 reads to expiry".
  static func reason(_ scenario: ScenarioVerdict) -> String? {
    guard case .ship(let recommendation) = scenario.verdict?.outcome,
      let other = recommendation.runnerUp,
      let margin = scenario.margin, let cause = margin.main
    else { return nil }
    let all = HumanNumber.count(Double(margin.reads))
    return "\(other) lost \(HumanNumber.count(Double(cause.net))) reads to "
      + "\(cause.outcome.causeName), and has \(all) fresh reads fewer in all"
  }

  /// Who could not compete.
  private static func remark(_ verdict: ShipVerdict) -> String? {
    var broke: [String] = []
    var without: [String] = []
    for standing in verdict.standings {
      switch standing.fate {
      case .infeasible: broke.append(standing.contender)
      case .withoutFigures: without.append(standing.contender)
      case .left, .behind: break
      }
    }
    if case .noneFeasible = verdict.outcome { broke = [] }
    // What binds the others does not bind them, whatever they take.
    let unknown = verdict.standings.filter(\.isMemoryUnknown).map(\.contender)
    let parts = [
      broke.isEmpty ? nil : "limits broken: \(broke.joined(separator: ", "))",
      without.isEmpty ? nil : "figures missing: \(without.joined(separator: ", "))",
      unknown.isEmpty ? nil : "memory unknown: \(unknown.joined(separator: ", "))",
    ]
    let text = parts.compactMap { $0 }.joined(separator: "; ")
    return text.isEmpty ? nil : text
  }

  private static func mean(of contender: String, _ verdict: ShipVerdict) -> String {
    objective(of: contender, verdict) ?? "no interval"
  }

  /// The objective of a contender with its interval: "80.7 ± 0.4 % fresh".
  private static func objective(of contender: String, _ verdict: ShipVerdict) -> String? {
    guard let interval = verdict.standing(of: contender)?.objective else { return nil }
    let figure = verdict.rule.objective
    let value = HumanNumber.interval(interval.mean, interval.halfWidth, unit: figure.unit)
    return "\(value) \(figure.name == Metric.freshHitRatio.name ? "fresh" : figure.name)"
  }

  package static func difference(_ lead: PairedInterval, _ rule: Goal) -> String {
    guard rule.objective.unit == .ratio else {
      return HumanNumber.interval(lead.mean, lead.halfWidth, unit: rule.objective.unit)
    }
    return "\(HumanNumber.points(lead.mean)) ± \(HumanNumber.points(lead.halfWidth)) points"
  }

  static func zone(_ verdict: ShipVerdict) -> String {
    switch verdict.rule.zone {
    case .absolute(let width) where verdict.rule.objective.unit == .ratio:
      "\(HumanNumber.points(width)) points"
    case .absolute(let width):
      HumanNumber.text(.real(width), unit: verdict.rule.objective.unit)
    case .relative(let share): "\(HumanNumber.percent(share)) of the best"
    }
  }

  private static func seeds(_ verdict: ShipVerdict) -> String {
    "\(verdict.seeds) \(verdict.seeds == 1 ? "seed" : "seeds")"
  }

  private static func limit(_ constraint: Constraint) -> String {
    let sign = constraint.comparison == .atMost ? "≤" : "≥"
    let value = HumanNumber.text(.real(constraint.limit), unit: constraint.figure.unit)
    return "\(constraint.figure.name) \(sign) \(value)"
  }

  /// What having more of a figure is called.
  private static func excess(of figure: Figure, _ share: String) -> String {
    switch figure {
    case .readWait: "waits \(share) longer"
    case .bytesReceived: "receives \(share) more bytes"
    case .peakMemory: "takes \(share) more memory"
    default: "has \(share) more of \(figure.name)"
    }
  }
}
