package import Analysis
import ResultModel

/// A verdict in sentences: the recommended policy, its margin, certainty and reason.
package enum VerdictText {
  package static func sentence(_ scenario: ScenarioVerdict) -> String {
    if let recorded = scenario.recorded { return sentence(recorded, scenario) }
    guard let verdict = scenario.verdict else { return "no policy competes" }
    var parts = [answer(verdict, scenario.exceededLimits) + count(of: verdict)]
    if case .equivalent(let equivalence) = verdict.outcome {
      parts += [preference(equivalence) ?? sameness(equivalence)].compactMap { $0 }
    }
    parts += [reason(scenario), remark(verdict, scenario.exceededLimits)].compactMap { $0 }
    return parts.joined(separator: "; ")
  }

  /// Returns the verdict without the number of seeds, its reason and remarks.
  static func head(_ scenario: ScenarioVerdict) -> String {
    if let recorded = scenario.recorded { return answer(recorded, scenario, isCounted: false) }
    return scenario.verdict.map { answer($0, scenario.exceededLimits) } ?? "no policy competes"
  }

  /// Returns the number of seeds, for verdicts whose answer does not contain it: " (10 seeds)".
  private static func count(of verdict: ShipVerdict) -> String {
    switch verdict.outcome {
    case .ship, .equivalent, .noneFeasible: " (\(seeds(verdict)))"
    case .notDecided, .bestOfOneSeed, .bestOfFewUsers, .nobody: ""
    }
  }

  /// The named policies, in a word or two.
  static func short(
    _ verdict: ShipVerdict, _ exceededLimits: [String: String] = [:]
  ) -> String {
    switch verdict.outcome {
    case .ship(let recommendation): recommendation.contender
    case .equivalent(let equivalence): equivalence.contenders.joined(separator: " = ")
    case .notDecided(let indecision): "not decided: " + indecision.left.joined(separator: ", ")
    case .noneFeasible(let shortfall):
      shortfall.broken.first.map { none(meets: $0.constraint, shortfall, exceededLimits) }
        ?? "no policy keeps the limits"
    case .bestOfOneSeed(let best): best.joined(separator: " = ") + " (one seed)"
    case .bestOfFewUsers(let few):
      few.best.joined(separator: " = ") + " (\(seeds(verdict)), not validated)"
    case .nobody: "no figures"
    }
  }

  private static func answer(
    _ verdict: ShipVerdict, _ exceededLimits: [String: String] = [:]
  ) -> String {
    let rule = verdict.rule
    switch verdict.outcome {
    case .ship(let recommendation):
      let ship = "ship \(recommendation.contender): \(mean(of: recommendation.contender, verdict))"
      guard let runnerUp = recommendation.runnerUp, let lead = recommendation.lead else {
        return ship
          + (verdict.standings.count > 1
            ? "; no other keeps the limits" : "; no other was compared")
      }
      return ship + ", \(difference(lead, rule)) ahead of \(runnerUp)"
    case .equivalent(let equivalence):
      return equivalent(equivalence, verdict)
    case .notDecided(let indecision):
      return undecided(indecision, verdict)
    case .noneFeasible(let shortfall):
      let missed = shortfall.broken.first.map { judgement in
        "\(none(meets: judgement.constraint, shortfall, exceededLimits)); nearest: \(shortfall.nearest) with "
          + HumanNumber.text(.real(judgement.value), unit: judgement.constraint.figure.unit)
      }
      return missed ?? "no policy keeps the limits"
    case .bestOfOneSeed(let best):
      guard let first = best.first else {
        return "no policy meets every constraint in this one seed" + misses(verdict)
      }
      let value = objective(of: first, verdict).map { ", \($0)" } ?? ""
      return "best of one seed, not a verdict: \(best.joined(separator: " = "))\(value)"
    case .bestOfFewUsers(let few): return best(few, verdict)
    case .nobody:
      return "no policy has the figures that decide"
    }
  }

  /// The limits that the first few contenders miss: ": lru stale_read_share 14.0 % (≤ 2.0 %)".
  private static func misses(_ verdict: ShipVerdict) -> String {
    let texts = verdict.standings.compactMap { standing -> String? in
      guard
        let broken = standing.judgements.first(where: { !$0.constraint.isKept(by: $0.value) })
      else { return nil }
      let figure = broken.constraint.figure
      return
        "\(standing.contender) has \(HumanNumber.text(.real(broken.value), unit: figure.unit)) "
        + "(\(limit(broken.constraint)))"
    }
    return texts.isEmpty ? "" : ": " + texts.prefix(3).joined(separator: ", ")
  }

  /// The best of too few users: with its lead, and without an interval.
  private static func best(_ few: Unvalidated, _ verdict: ShipVerdict) -> String {
    guard let mean = few.mean else {
      return "no policy keeps the limits in the mean of \(seeds(verdict))"
    }
    let figure = verdict.rule.objective
    var text =
      "best of \(seeds(verdict)): \(few.best.joined(separator: " = ")), "
      + HumanNumber.text(.real(mean), unit: figure.unit)
      + " \(name(of: figure))"
    if let runnerUp = few.runnerUp, let lead = few.lead {
      let width =
        figure.unit == .ratio
        ? "\(HumanNumber.points(lead)) points" : HumanNumber.text(.real(lead), unit: figure.unit)
      text += ", \(width) ahead of \(runnerUp)"
    }
    return text + "; not validated: record more users, "
      + "\(verdict.replicate.fewestForInterval) or more"
  }

  private static func equivalent(_ equivalence: Equivalence, _ verdict: ShipVerdict) -> String {
    "equivalent within ± \(zone(verdict)): \(equivalence.contenders.joined(separator: ", "))"
  }

  /// So many reasons against equivalents are listed.
  private static let mostExcesses = 3

  /// That none of several equivalents is preferred; `nil` of one, or if one is.
  static func sameness(_ equivalence: Equivalence) -> String? {
    let count = equivalence.contenders.count
    return count > 1 && equivalence.preferred.count == count
      ? (count == 2 ? "either" : "any of them")
        + ": they cost the same in waiting, bytes and memory"
      : nil
  }

  /// Returns which of several equivalents to prefer, and why; `nil` if they are equal.
  static func preference(_ equivalence: Equivalence) -> String? {
    guard equivalence.preferred.count < equivalence.contenders.count,
      !equivalence.separations.isEmpty
    else { return nil }
    let excesses = equivalence.separations.reversed().map { separation in
      "\(separation.contender) "
        + excess(of: separation.figure, HumanNumber.percent(separation.share))
    }
    let others = excesses.count - mostExcesses
    return "prefer \(equivalence.preferred.joined(separator: " or ")): "
      + excesses.prefix(mostExcesses).joined(separator: ", ")
      + (others > 0 ? "; \(others) more" : "")
  }

  private static func undecided(_ indecision: Indecision, _ verdict: ShipVerdict) -> String {
    var text = "not decided after \(seeds(verdict)): \(indecision.left.joined(separator: ", "))"
    switch indecision.cause {
    case .lastLook: break
    case .stopped: text += "; stopped before its last look"
    case .leadersFailed: text += "; the leader exceeded a limit in later \(verdict.replicate)s"
    }
    if let leader = indecision.leader { text += "; \(leader) has the best mean" }
    if let needed = indecision.seedsNeeded, needed > verdict.seeds {
      text +=
        "; about \(HumanNumber.count(Double(needed))) \(verdict.replicate.rawValue)s needed to decide"
    }
    return text
  }

  /// Returns the result of a recording in both cases of its unknown hits.
  private static func sentence(_ recorded: RecordedVerdict, _ scenario: ScenarioVerdict) -> String {
    let parts = [
      answer(recorded, scenario), remark(recorded.ifFresh, scenario.exceededLimits),
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  private static func answer(
    _ recorded: RecordedVerdict, _ scenario: ScenarioVerdict, isCounted: Bool = true
  ) -> String {
    if let obstacle = recorded.obstacle {
      return "this recording cannot say which is best: \(obstacle)"
    }
    if let best = list(recorded.best) {
      guard let verdict = scenario.verdict, verdict.seeds > 1 else {
        let figure = recorded.ifStale.rule.objective
        var value: String?
        if let (low, high) = recorded.ends, figure.unit == .ratio {
          value = "\(HumanNumber.range(low, high)) \(name(of: figure))"
        }
        let count = recorded.best.count
        if count > 1, count == recorded.ifFresh.standings.count {
          return "none is better than another in this recording: all \(count) have "
            + (value ?? "the same \(name(of: figure))")
        }
        return "best in this recording, not validated: \(best)"
          + (value.map { ", \($0)" } ?? "")
      }
      return answer(verdict) + (isCounted ? count(of: verdict) : "")
    }
    let open = recorded.candidates.flatMap(recorded.openLimits).distinct(\.self)
    switch (list(recorded.ifStale.named), list(recorded.ifFresh.named)) {
    case (_, nil): return "no policy keeps the limits in this recording"
    case (nil, let fresh?):
      return "this recording cannot say whether \(fresh) keeps "
        + (open.isEmpty ? "the limits" : open.map(limit).joined(separator: " and "))
    case _ where recorded.isWithoutHits:
      return "no policy within the limits has a hit in this recording"
    case (let stale?, let fresh?) where stale == fresh:
      return "this recording cannot say which is best: it does not say which hits were fresh"
    case (let stale?, let fresh?):
      return
        "this recording cannot say: \(fresh) if the unverified hits were fresh, "
        + "\(stale) if they were stale"
    }
  }

  private static func list(_ policies: [String]) -> String? {
    guard !policies.isEmpty else { return nil }
    let others = policies.count - 3
    return policies.prefix(3).joined(separator: " = ") + (others > 0 ? " and \(others) more" : "")
  }

  // MARK: Parts of sentences

  /// Returns the largest cause of a margin: "spacedrive lost 584 more reads to expiry (594 more in all, in 10 seeds)".
  static func reason(_ scenario: ScenarioVerdict) -> String? {
    guard let verdict = scenario.verdict, case .ship(let recommendation) = verdict.outcome,
      let other = recommendation.runnerUp,
      let margin = scenario.margin, let cause = margin.main
    else { return nil }
    let all = HumanNumber.count(Double(margin.reads))
    let runs = "in \(verdict.replicate.text(verdict.standing(of: other)?.seeds ?? verdict.seeds))"
    let share =
      cause.net > margin.reads
      ? ", partly made up elsewhere (\(all) more in all, \(runs))"
      : cause.net < margin.reads ? " (\(all) more in all, \(runs))" : " \(runs)"
    let reads =
      cause.net == 1 ? "1 more read" : "\(HumanNumber.count(Double(cause.net))) more reads"
    return "\(other) lost \(reads) to \(cause.outcome.causeName)\(share)"
  }

  /// Returns the policies that could not compete.
  static func remark(
    _ verdict: ShipVerdict, _ exceededLimits: [String: String]
  ) -> String? {
    var broke: [String] = []
    var without: [String] = []
    for standing in verdict.standings {
      switch standing.fate {
      case .infeasible:
        let limits = exceededLimits[standing.contender].map { " (\($0))" } ?? ""
        broke.append(standing.contender + limits)
      case .withoutFigures(let missing):
        let figures = missing.map(\.name).joined(separator: ", ")
        without.append("\(standing.contender) (\(figures))")
      case .left, .behind: break
      }
    }
    if case .noneFeasible = verdict.outcome { broke = [] }
    // The others' limits do not apply to them.
    let unknown = verdict.standings.filter(\.isMemoryUnknown).map(\.contender)
    let parts = [
      broke.isEmpty ? nil : "over a limit: \(broke.joined(separator: ", "))",
      without.isEmpty ? nil : "figures missing: \(without.joined(separator: ", "))",
      unknown.isEmpty ? nil : "memory unknown: \(unknown.joined(separator: ", "))",
    ]
    let text = parts.compactMap { $0 }.joined(separator: "; ")
    return text.isEmpty ? nil : text
  }

  private static func mean(of contender: String, _ verdict: ShipVerdict) -> String {
    objective(of: contender, verdict) ?? "no interval"
  }

  /// Returns the objective of a contender with its interval: "80.7 ± 0.4 % fresh".
  private static func objective(of contender: String, _ verdict: ShipVerdict) -> String? {
    guard let interval = verdict.standing(of: contender)?.objective else { return nil }
    let figure = verdict.rule.objective
    let value = HumanNumber.interval(interval.mean, interval.halfWidth, unit: figure.unit)
    return "\(value) \(name(of: figure))"
  }

  private static func name(of figure: Figure) -> String {
    figure.name == Metric.freshHitRatio.name ? "fresh hits" : figure.name
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

  static func seeds(_ verdict: ShipVerdict) -> String {
    verdict.replicate.text(verdict.seeds)
  }

  private static func none(
    meets constraint: Constraint, _ shortfall: Shortfall, _ exceededLimits: [String: String]
  ) -> String {
    constraint == .withinLimits
      ? "no policy keeps the limit on \(exceededLimits[shortfall.nearest] ?? "its size")"
      : "no policy meets \(limit(constraint))"
  }

  static func limit(_ constraint: Constraint) -> String {
    let sign = constraint.comparison == .atMost ? "≤" : "≥"
    let value = HumanNumber.text(.real(constraint.limit), unit: constraint.figure.unit)
    return "\(constraint.figure.name) \(sign) \(value)"
  }

  /// Returns the phrase for having more of a figure.
  private static func excess(of figure: Figure, _ share: String) -> String {
    switch figure {
    case .readWait: "waits \(share) longer"
    case .bytesReceived: "receives \(share) more bytes"
    case .peakMemory: "takes \(share) more memory"
    default: "has \(share) more of \(figure.name)"
    }
  }
}

extension Metric {
  static let causes: [(outcome: Metric, name: String, meaning: String)] = [
    (.hitStale, "staleness", "what was served differed from the server's state"),
    (.partial, "evicted rows", "the list was cached, but some of its rows were not"),
    (
      .missCold, "unknown answers",
      "the cache never had the answer, or had forgotten a dropped entity"
    ),
    (.missExpired, "expiry", "the answer was older than its time to live"),
    (.missEvicted, "dropped queries", "the list had made room for others, or had no observer left"),
    (
      .missInvalidated, "invalidation",
      "an event, a gap in the events or the app had marked the answer stale"
    ),
    (.coalesced, "fetches under way", "the same query was being fetched already"),
    (.bypass, "bypassing the cache", "the query is never kept, such as a search of few letters"),
    (.failed, "failed requests", "there was nothing to serve, and no server could be reached"),
  ]

  var causeName: String { Self.causes.first { $0.outcome == self }?.name ?? name }
}

extension RecordedVerdict {
  /// The lower and the upper bound of the best policy's objective.
  package var ends: (low: Double, high: Double)? {
    guard let low = objective.min(), let high = objective.max() else { return nil }
    return (low, high)
  }
}
