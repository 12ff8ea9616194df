package import Analysis
import ResultModel

/// A verdict in sentences: whom to ship, by how much, how sure, and why.
package enum VerdictText {
  /// The verdict in one sentence.
  package static func sentence(_ scenario: ScenarioVerdict) -> String {
    if let recorded = scenario.recorded { return sentence(recorded, scenario) }
    guard let verdict = scenario.verdict else { return "no policy competes" }
    let parts = [
      answer(verdict), reason(scenario), remark(verdict, scenario.exceededLimits),
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  /// Where the verdict does not stand, or cannot be told; `nil` where that was not asked.
  static func elsewhere(_ scenario: ScenarioVerdict) -> String? {
    guard let robustness = scenario.robustness, !robustness.alternatives.isEmpty else { return nil }
    let other = robustness.disagreeing.map { "\($0.label): \(short($0.verdict))" }
    let open = robustness.open.map(label(ofOpen:))
    var parts: [String] = []
    if !other.isEmpty { parts.append("otherwise " + other.joined(separator: "; ")) }
    if !open.isEmpty { parts.append("open " + open.joined(separator: ", ")) }
    let agreeing = robustness.alternatives.count - other.count - open.count
    if agreeing > 0 { parts.append("the same in \(agreeing) of \(robustness.alternatives.count)") }
    return parts.joined(separator: "; ")
  }

  /// With the constraints of which it is not known there whether they are kept.
  private static func label(ofOpen alternative: Robustness.Alternative) -> String {
    let limits = alternative.verdict.undecidedConstraints.map(limit)
    guard !limits.isEmpty else { return alternative.label }
    return "\(alternative.label) (\(limits.joined(separator: ", ")) is not decided there)"
  }

  /// Who is named, in a word or two.
  static func short(_ verdict: ShipVerdict) -> String {
    switch verdict.outcome {
    case .ship(let recommendation): recommendation.contender
    case .equivalent(let equivalence): equivalence.contenders.joined(separator: " = ")
    case .notDecided(let indecision): "not decided: " + indecision.left.joined(separator: ", ")
    case .noneFeasible(let shortfall):
      shortfall.broken.first.map { "none meets \(limit($0.constraint))" } ?? "none feasible"
    case .bestOfOneSeed(let best): best.joined(separator: " = ") + " (one seed)"
    case .bestOfFewUsers(let few):
      few.best.joined(separator: " = ") + " (\(seeds(verdict)), not validated)"
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
    case .bestOfFewUsers(let few): return best(few, verdict)
    case .nobody:
      return "no policy has the figures that decide"
    }
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
      + " \(figure.name == Metric.freshHitRatio.name ? "fresh" : figure.name)"
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
      text +=
        "; about \(HumanNumber.count(Double(needed))) \(verdict.replicate.rawValue)s would tell"
    }
    return text
  }

  /// What a recording says at both ends of what it leaves open.
  private static func sentence(_ recorded: RecordedVerdict, _ scenario: ScenarioVerdict) -> String {
    let parts = [
      answer(recorded, scenario), remark(recorded.ifFresh, scenario.exceededLimits),
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  private static func answer(_ recorded: RecordedVerdict, _ scenario: ScenarioVerdict) -> String {
    if let best = list(recorded.best) {
      guard let verdict = scenario.verdict, verdict.seeds > 1 else {
        let figure = recorded.ifStale.rule.objective
        var value = ""
        if let (low, high) = recorded.ends, figure.unit == .ratio {
          value = ", \(HumanNumber.range(low, high)) \(name(of: figure))"
        }
        return "best in this recording, not validated: \(best)\(value)"
      }
      return answer(verdict)
    }
    let open = recorded.candidates.flatMap(recorded.openLimits).distinct(\.self)
    switch (list(recorded.ifStale.named), list(recorded.ifFresh.named)) {
    case (_, nil): return "no policy keeps the limits in this recording"
    case (nil, let fresh?):
      return "this recording cannot say whether \(fresh) keeps "
        + (open.isEmpty ? "the limits" : open.map(limit).joined(separator: " and "))
    case (let stale?, let fresh?) where stale == fresh:
      return "this recording cannot say which is best: of no hit does it tell that it was fresh"
    case (let stale?, let fresh?):
      return
        "this recording cannot say: \(fresh) if the hits of which it does not tell were fresh, "
        + "\(stale) if they were stale"
    }
  }

  private static func list(_ policies: [String]) -> String? {
    guard !policies.isEmpty else { return nil }
    let others = policies.count - 3
    return policies.prefix(3).joined(separator: " = ") + (others > 0 ? " and \(others) more" : "")
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
  private static func remark(
    _ verdict: ShipVerdict, _ exceededLimits: [String: String]
  ) -> String? {
    var broke: [String] = []
    var without: [String] = []
    for standing in verdict.standings {
      switch standing.fate {
      case .infeasible:
        let limits = exceededLimits[standing.contender].map { " (\($0))" } ?? ""
        broke.append(standing.contender + limits)
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
    return "\(value) \(name(of: figure))"
  }

  private static func name(of figure: Figure) -> String {
    figure.name == Metric.freshHitRatio.name ? "fresh" : figure.name
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
    verdict.replicate.text(verdict.seeds)
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

extension VerdictText {
  /// What the lines below the tables mean that do not say it themselves; nothing of what none of them says.
  package static func legend(of verdicts: [ScenarioVerdict]) -> [String] {
    let causes = verdicts.filter { reason($0) != nil }.compactMap { $0.margin?.main?.outcome }
    let named = Metric.causes.filter { causes.contains($0.outcome) }
    var lines: [String] = []
    if !named.isEmpty {
      lines.append(
        "lost to: read by read beside who is shipped, less what that one lost so."
      )
      lines += named.map { "\($0.name): \($0.meaning)." }
    }
    let asked = verdicts.compactMap(\.robustness).filter { !$0.alternatives.isEmpty }
    guard let alternatives = asked.first?.alternatives else { return lines }
    lines.append("asked again with: \(alternatives.map(\.label).joined(separator: ", ")).")
    if asked.contains(where: { !$0.open.isEmpty }) {
      lines.append("open: the seeds do not decide there whether the same policy is to be shipped.")
    }
    return lines
  }
}

extension Metric {
  /// Outcomes as the causes of a loss: what each is called, and what it means.
  fileprivate static let causes: [(outcome: Metric, name: String, meaning: String)] = [
    (.hitStale, "staleness", "what was served differed from the truth"),
    (.partial, "evicted rows", "the list was held, and some of its rows were not"),
    (.missCold, "not having had them", "the client had never held the answer"),
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

  /// What an outcome is called as the cause of a loss.
  var causeName: String { Self.causes.first { $0.outcome == self }?.name ?? name }
}

/// Two runs read by read, as a terminal shows them.
package enum ReadComparisonText {
  /// How often which outcome stands beside which, and the first reads that differ.
  ///
  /// - Parameters:
  ///   - comparison: what came of it.
  ///   - names: what the two runs are called.
  ///   - shown: how many of the reads that differ are listed at most.
  ///   - style: of the terminal.
  /// - Returns: lines of at most 80 characters.
  package static func text(
    _ comparison: ReadComparison, names: (first: String, second: String), shown: Int,
    style: TextStyle
  ) -> String {
    let differ = comparison.differing.count
    var text =
      "\(count(comparison.inBoth)) reads in both: \(count(comparison.inBoth - differ)) the same, "
      + "\(count(differ)) not\n"
    for (name, alone) in [
      (names.first, comparison.onlyInFirst), (names.second, comparison.onlyInSecond),
    ] where alone > 0 {
      text += "\(count(alone)) more in \(name) alone, whose users waited less\n"
    }
    guard differ > 0 else { return text }
    text += "\n" + changes(comparison, names).terminal(style: style, indent: 2)
    let listed = comparison.differing.prefix(shown)
    guard !listed.isEmpty else { return text }
    text += "\n" + style.paint("the first \(count(listed.count)) that differ", .strong) + "\n"
    return text + reads(listed, names).terminal(style: style, indent: 2)
  }

  private static func count(_ number: Int) -> String { HumanNumber.count(Double(number)) }

  private static func changes(
    _ comparison: ReadComparison, _ names: (first: String, second: String)
  ) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column(names.first), TextTable.Column(names.second),
      TextTable.Column("reads", .right),
    ])
    for change in comparison.changes {
      table.append([change.first.name, change.second.name, count(change.reads)])
    }
    return table
  }

  private static func reads(
    _ pairs: ArraySlice<ReadComparison.Pair>, _ names: (first: String, second: String)
  ) -> TextTable {
    let isOneRun = pairs.allSatisfy {
      $0.first.scenario == pairs.first?.first.scenario && $0.first.seed == pairs.first?.first.seed
    }
    var table = TextTable(columns: [
      TextTable.Column("run"), TextTable.Column("at", .right), TextTable.Column("client"),
      TextTable.Column("read"), TextTable.Column(names.first), TextTable.Column(names.second),
    ])
    for pair in pairs {
      table.append([
        isOneRun ? "" : "\(pair.first.scenario) \(pair.first.seed)",
        HumanNumber.duration(nanoseconds: Double(pair.first.at)), pair.first.client,
        pair.first.read, ending(of: pair.first), ending(of: pair.second),
      ])
    }
    return table.withoutEmptyColumns()
  }

  /// The outcome, and of what was served wrong how: `hit_stale, row 3 older by 12.0 s`.
  private static func ending(of read: ReadLine) -> String {
    var text = read.outcome.name
    if let difference = read.difference { text += ", row \(difference.row) \(difference.word)" }
    if let age = read.age { text += ", for \(HumanNumber.duration(nanoseconds: Double(age)))" }
    return text
  }
}

extension RecordedVerdict {
  /// The lower and the upper end of the best policy's objective.
  package var ends: (low: Double, high: Double)? {
    guard let low = objective.min(), let high = objective.max() else { return nil }
    return (low, high)
  }
}
