import Analysis
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

/// A recommendation on one screen: the policy, its gain and cost, its certainty, and conditions that would
/// change it.
struct RecommendText {
  let outcome: RecommendOutcome

  private var chosen: Proposal { outcome.chosen.proposal }
  private var reference: Proposal { judged.reference }
  private var rule: Goal { outcome.rule }
  private var judged: RecommendOutcome.Judged { outcome.judged }

  func lines() throws -> [String] {
    var lines = WrappedText.lines(head, width: Console.style.width, indent: 2) + [""]
    for (label, text) in [
      ("Gain", gain), ("Compared", comparison), ("Memory", memory), ("How sure", certainty),
      ("Robust", outcome.elsewhere.joined(separator: "; ")),
    ] {
      guard let text, !text.isEmpty else { continue }
      lines += WrappedText.labelled(
        "  " + label, text, indent: Self.indent, width: Console.style.width)
    }
    guard let client = outcome.client else {
      return lines
        + (entry.isEmpty ? [] : ["", "  To add to `policies` (--yaml FILE does):", ""] + entry)
    }
    let configuration =
      client.knobs.isEmpty || outcome.entry == nil
      ? [] : try client.configuration(of: chosen).map { "    " + $0 }
    lines += ["", configuration.isEmpty ? "  See \(client.source)" : "  From \(client.source):"]
    return lines + (configuration.isEmpty ? [] : [""] + configuration)
  }

  /// The recommendation as a scenario's entry, each field with its own effect.
  private var entry: [String] {
    guard let entry = outcome.entry, case .preset(let preset) = entry.base else { return [] }
    guard !entry.fields.isEmpty else { return ["    - \(preset)"] }
    let fields = entry.fields.map { field, value in
      let worth = outcome.worth[Proposal.Field(name: field, value: value)].map {
        gain(of: $0, field)
      }
      return "\(field): \(value)" + (worth.map { "  # \($0)" } ?? "")
    }
    return ["    - name: \(entry.name)"] + (["preset: \(preset)"] + fields).map { "      " + $0 }
  }

  /// The effect of a field, compared with the recommendation without it.
  private func gain(of judged: RecommendOutcome.Judged, _ field: String) -> String {
    if judged.isAhead, let lead = judged.leads.map(\.mean).min() {
      return "\(Self.amount(lead, rule.objective.unit)) better"
    }
    return judged.memorySaved.map { "\(HumanNumber.percent($0)) less memory" }
      ?? (field == "capacity-memory" ? "else over the limit on memory" : "else over a limit")
  }

  private static let indent = 15

  private var head: String {
    let name = outcome.input.name
    let words = chosen.label
    if outcome.chosen.isOverLimits {
      return "\(name): nothing that was tried keeps the limits; nearest: \(words)\(shortfall)"
    }
    if let client = outcome.client, client.knobs.isEmpty {
      return "\(name): \(client.name) has no limit and no age to set; \(client.advice)"
    }
    if let recorded = outcome.chosen.recorded, recorded.best.isEmpty {
      return "\(name): \(open(recorded, words))"
    }
    if outcome.answer == reference {
      if let other = betterInPart {
        return
          "\(name): \(judged.isNow ? "keep" : "ship") \(reference.label) as it is: \(other), the best that "
          + "was tried, is not certain to be better by enough for a change"
          + (isValidated ? "" : "; not validated")
      }
      guard isValidated else {
        return
          "\(name): best is \(reference.label) as it is, not validated: nothing that was tried is better"
      }
      return judged.isNow
        ? "\(name): nothing to change: keep \(reference.label)"
        : "\(name): ship \(reference.label) as it is: nothing that was tried is better"
    }
    switch outcome.chosen.verdict.outcome {
    case .notDecided(let indecision):
      let rivals = outcome.chosen.others(among: indecision.left)
      return "\(name): ship \(words); not decided whether "
        + (rivals.isEmpty ? "it keeps the limits" : "\(Self.list(rivals, "or")) is better still")
    case .bestOfOneSeed, .bestOfFewUsers:
      return isValidated
        ? "\(name): ship \(words)" : "\(name): best is \(words); not validated"
    default: return "\(name): ship \(words)"
    }
  }

  /// The best in both cases of a recording's unknown hits, with its objective, if that is not the reference.
  private var betterInPart: String? {
    guard let recorded = outcome.chosen.recorded, let first = recorded.best.first,
      !recorded.best.contains(reference.label)
    else { return nil }
    guard rule.objective.unit == .ratio, let (low, high) = recorded.ends else { return first }
    return "\(first) (\(HumanNumber.range(low, high)))"
  }

  /// Whether it was judged on other replicates than those used to choose.
  private var isValidated: Bool {
    outcome.input.recorded.map { $0.users.count >= Replicate.user.fewestForInterval } ?? true
  }

  /// The questions that a recording leaves open, and the policies they concern.
  private func open(_ recorded: RecordedVerdict, _ words: String) -> String {
    let limits = recorded.candidates.flatMap(recorded.openLimits).distinct(\.self)
    let remedy = "; record a longer session, in which screens come back unchanged too"
    let left = [recorded.ifStale, recorded.ifFresh].flatMap { verdict -> [String] in
      guard case .notDecided(let indecision) = verdict.outcome else { return [] }
      return indecision.left
    }
    let rivals = outcome.chosen.others(among: left)
    guard rivals.isEmpty else {
      return
        "these recordings do not decide between \(Self.list([words] + rivals)); record more users"
    }
    if recorded.ifStale.named.isEmpty, let best = recorded.ifFresh.named.first {
      return "this recording cannot say whether \(best) keeps "
        + (limits.first.map { "the limit on \($0.figure.name)" } ?? "the limits") + remedy
    }
    guard let stale = recorded.ifStale.named.first, let fresh = recorded.ifFresh.named.first,
      let one = outcome.chosen.finalists.first(where: { $0.label == stale })?.policy,
      let other = outcome.chosen.finalists.first(where: { $0.label == fresh })?.policy, one != other
    else {
      return
        "this recording cannot say which is best: it does not say which hits were fresh\(remedy)"
    }
    return
      "this recording cannot say: \(one) if the unverified hits were stale, \(other) if they were "
      + "fresh\(remedy)"
  }

  /// Which limits the nearest breaks by how much, and limits that it would keep.
  private var shortfall: String {
    let broken = outcome.chosen.broken
    let faults = broken.map { judgement -> String in
      let (figure, limit) = (judgement.constraint.figure, judgement.constraint.limit)
      let value = HumanNumber.text(.real(judgement.value), unit: figure.unit)
      return judgement.constraint == .withinLimits
        ? ", which takes \(value) its limit"
        : ", with \(figure.name) \(value) instead of "
          + HumanNumber.text(.real(limit), unit: figure.unit)
    }
    let remedies = broken.compactMap(remedy)
    return faults.joined() + (remedies.isEmpty ? "" : "; try \(Self.list(remedies))")
  }

  /// A limit that would be kept; `nil`: it is not known.
  private func remedy(for judgement: ConstraintJudgement) -> String? {
    let constraint = judgement.constraint
    if constraint == .withinLimits {
      return outcome.enoughMemory.map {
        "--memory " + Proposal.sizeInWords($0).replacing(" ", with: "")
      }
    }
    // Other units have no digits that a limit could be rounded to.
    guard constraint.figure.unit == .ratio else { return nil }
    let isAtMost = constraint.comparison == .atMost
    let end = judgement.interval.map { isAtMost ? $0.high : $0.low } ?? judgement.value
    let limit = (end * 1_000).rounded(isAtMost ? .up : .down) / 1_000
    return "\(constraint.figure.name) \(isAtMost ? "<=" : ">=") \(HumanNumber.percent(limit))"
  }

  // MARK: Lines

  private var gain: String? {
    guard !outcome.chosen.isOverLimits, let own = value(of: judged.own) else { return nil }
    guard let theirs = judged.theirs else {
      // Where a recording cannot say which is best, the gain is not known.
      return (outcome.chosen.recorded?.best.isEmpty == true ? "" : "none; ")
        + "\(own) with \(reference.label)"
        + (judged.isNow ? ", as the app has it now" : " as it is")
    }
    guard let lead, let other = value(of: theirs, isNamed: false) else { return own }
    if outcome.answer == reference, let kept = value(of: theirs) {
      let reason =
        judged.breaks(judged.own) && !judged.breaks(theirs)
        ? (judged.isAhead ? "but" : "and") + " breaks a limit of the goal"
        : judged.leads.allSatisfy { $0.low > 0 }
          ? "too little for a change" : "so a change has no proven gain"
      return
        "\(kept); the best of the others that were tried, \(chosen.label), is \(lead) it, \(reason)"
    }
    let today =
      judged.isNow && outcome.client == nil
      ? "\(reference.label), which is there now," : reference.label
    // A client that has nothing to set is compared with other caches.
    let subject = outcome.client?.knobs.isEmpty == true ? " with \(chosen.label)" : ""
    // Reads from the app's own cache are not in the file.
    let isComparable = !judged.isNow || outcome.client != nil || outcome.reads?.doubt == nil
    return "\(lead) \(today): \(own)\(subject), compared with \(other)"
      + (isComparable ? "" : ", but not comparable: it is recorded with caches on")
  }

  /// Returns the objective of a sample, in both cases of a recording's unknown hits.
  private func value(of sample: ObservedSample, isNamed: Bool = true) -> String? {
    let figure = rule.objective
    let means = judged.rules.compactMap { judged.mean($0.objective, of: sample) }
    guard means.count == judged.rules.count, let low = means.map(\.mean).min(),
      let high = means.map(\.mean).max()
    else { return nil }
    let text: String
    if means.count > 1, figure.unit == .ratio {
      text = HumanNumber.range(low, high)
    } else if means.count > 1, low < high {
      text = [low, high].map { HumanNumber.text(.real($0), unit: figure.unit) }
        .joined(separator: " to ")
    } else if let half = means[0].halfWidth {
      text = HumanNumber.interval(low, half, unit: figure.unit)
    } else {
      text = HumanNumber.text(.real(low), unit: figure.unit)
    }
    guard isNamed else { return text }
    return "\(text) "
      + (figure.name == Metric.freshHitRatio.name ? "of reads are fresh hits" : figure.name)
  }

  /// The choice's lead over the reference, without the reference's name.
  private var lead: String? {
    let leads = judged.leads.sorted { $0.mean < $1.mean }
    guard leads.count == judged.rules.count, let low = leads.first, let high = leads.last else {
      return nil
    }
    let unit = rule.objective.unit
    if unit == .ratio, leads.allSatisfy({ $0.mean.magnitude < judged.oneRead }) {
      return "within one read of"
    }
    let isAhead = low.mean >= 0
    guard isAhead || high.mean <= 0 else {
      return
        "\(Self.amount(-low.mean, unit)) behind to \(Self.number(high.mean, unit)) ahead of"
    }
    guard low.halfWidth == nil || leads.allSatisfy({ isAhead ? $0.low > 0 : $0.high < 0 }) else {
      return "not significantly different from"
    }
    let amounts = (isAhead ? leads : leads.reversed()).map { lead in
      Self.number(lead.mean.magnitude, unit)
        + (lead.halfWidth.map { " ± \(Self.number($0, unit))" } ?? "")
    }
    return amounts.distinct(\.self).joined(separator: " to ") + (unit == .ratio ? " points" : "")
      + (isAhead ? " ahead of" : " behind")
  }

  private static func number(_ value: Double, _ unit: MetricUnit) -> String {
    unit == .ratio ? HumanNumber.points(value) : HumanNumber.text(.real(value), unit: unit)
  }

  private static func amount(_ value: Double, _ unit: MetricUnit) -> String {
    number(value, unit) + (unit == .ratio ? " points" : "")
  }

  /// The additional stale reads compared with the reference, if a recording leaves that open.
  private var openStaleness: String? {
    let ends = [Statistic.lower, .upper].compactMap {
      judged.difference(Figure(.staleReadShare, $0))
    }
    guard ends.count == 2, let low = ends.map(\.mean).min(), let high = ends.map(\.mean).max()
    else { return nil }
    let isOneSided = low * high > 0
    let sizes = isOneSided ? [low.magnitude, high.magnitude].sorted() : [low, high]
    let range = sizes.map { (isOneSided || $0 <= 0 ? "" : "+") + HumanNumber.points($0) }
      .distinct(\.self).joined(separator: " to ")
    return isOneSided
      ? "\(range) points \(low > 0 ? "more" : "less") staleness" : "\(range) points of staleness"
  }

  /// What else it costs or saves, compared with the reference, figure by figure.
  private var comparison: String? {
    guard judged.theirs != nil, outcome.answer != reference else { return nil }
    // What else a client's runtime takes is not predicted.
    let peak =
      "memory at its peak" + (outcome.client == nil ? "" : " (predicted, for rows and tables)")
    let parts = [
      (Figure.bytesReceived, "fetched"), (.readWait, "wait"), (.staleReadShare, "staleness"),
      (.peakMemory, peak),
    ].compactMap { figure, name -> String? in
      guard
        let difference = figure == .peakMemory
          ? judged.peakDifference : judged.difference(figure)?.mean
      else {
        return figure == .staleReadShare ? openStaleness : nil
      }
      // Less than a twentieth of a point would be shown as zero.
      guard difference.magnitude >= (figure.unit == .ratio ? 0.0005 : 1) else {
        return "as much \(name)"
      }
      return
        "\(Self.amount(difference.magnitude, figure.unit)) \(difference > 0 ? "more" : "less") \(name)"
    }
    return parts.isEmpty ? nil : "with \(reference.label): " + parts.joined(separator: ", ")
  }

  private var memory: String? {
    guard let curve = outcome.curve, let budget = outcome.budget, let unlimited = curve.unlimited,
      let own = curve.own
    else { return nil }
    if curve.isNear(own.values, unlimited.values) {
      let isLess = curve.knee.map { $0.memory < own.memory } ?? false
      return
        "no limit matters: \(curve.text(own)) with the limits, \(curve.text(unlimited)) without"
        + (isLess ? curve.kneeText().map { "; \($0)" } ?? "" : "")
    }
    func has(_ point: MemoryCurve.Point) -> String {
      "\(curve.text(point)) with \(HumanNumber.bytes(Double(point.memory)))"
    }
    let end = "\(curve.text(unlimited)) without a limit"
    var text = "\(has(own)) (\(budget.source)); "
    guard let better = curve.better(than: own) else { return text + end }
    text += "more memory helps: \(has(better))"
    guard let knee = curve.knee else { return "\(text); \(end)" }
    if knee.memory > better.memory { text += ", and \(has(knee))" }
    return "\(text), within \(curve.reach) of the \(end)"
  }

  private var certainty: String {
    let isNone = outcome.chosen.isOverLimits
    let trials =
      "\(isNone ? "nearest" : "best") of \(outcome.tried) settings of "
      + (outcome.policies.count == 1
        ? outcome.policies[0]
        : Self.list(outcome.policies)
          + (outcome.presets > 0
            ? ", and of \(outcome.presets) other policies as they are,"
            : " (for other presets use simulate)"))
    // Such limits are for caches that have them, and simulate judges by them.
    let limits =
      outcome.client == nil ? "" : "; the scenario's limits, which this client lacks, do not count"
    guard let recorded = outcome.input.recorded else {
      let chosen =
        "\(trials) on \(outcome.seedsOfSearch) seeds, then on \(outcome.chosen.verdict.seeds) others"
        + rivals
      return isNone
        ? chosen + limits
        : chosen + "; gain and comparison are measured on \(judged.count) held-out seeds (shown by "
          + "`tidemark simulate FILE --seed \(outcome.firstSeedOfJudgement) --seeds \(judged.count)`, "
          + "with the FILE of --yaml)\(limits)"
    }
    let users = recorded.users.count
    // Half of them judge.
    let fewest = 2 * Replicate.user.fewestForInterval
    let basis = outcome.reads.map {
      "; \($0.repeats) of \($0.reads) reads repeat an earlier one, so one read is "
        + "\(HumanNumber.points(1 / Double(max($0.reads, 1)))) points"
    }
    let doubts = (basis ?? "") + (outcome.reads?.doubt.map { "; \($0)" } ?? "")
    guard isValidated else {
      let on = "\(trials) on \(users == 1 ? "one recording" : Replicate.user.text(users))"
      guard !isNone else { return on }
      return
        "\(on), on \(users == 1 ? "which" : "whom") it was chosen too, so not validated: record at "
        + "least \(fewest) users, half of them held out\(rivals)\(doubts)"
    }
    let chosen = "\(trials) on \(Replicate.user.text(outcome.chosen.verdict.seeds))\(rivals)"
    guard !isNone else { return chosen }
    return
      "\(chosen); gain and comparison are of the "
      + "\(judged.count) others alone, while simulate shows all \(users)"
      + (users < fewest
        ? "; too few for an interval: record at least \(fewest) users" : "") + doubts
  }

  /// The finalists among which the choice was not plain, unless the first line has them, and those that were no choice.
  private var rivals: String {
    let choice = outcome.chosen
    guard !choice.isOverLimits else { return "" }
    let over = choice.verdict.standings.filter { $0.fate == .infeasible }.map(\.contender)
    var parts = [("over a limit: ", over)]
    switch choice.verdict.outcome {
    case .equivalent(let equivalence):
      parts.insert(("equivalent to ", equivalence.contenders), at: 0)
    case .notDecided(let indecision) where outcome.answer == reference:
      parts.insert(("not decided between it and ", indecision.left), at: 0)
    default: break
    }
    return parts.map { words, contenders in
      let names = choice.others(among: contenders)
      return names.isEmpty ? "" : "; \(words)\(Self.list(names))"
    }.joined()
  }

  private static func list(_ names: [String], _ conjunction: String = "and") -> String {
    names.count < 2
      ? names.joined()
      : names.dropLast().joined(separator: ", ") + " \(conjunction) \(names[names.count - 1])"
  }
}
