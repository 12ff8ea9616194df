import Analysis
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

/// The lines below a recommendation: what it gains and costs, in what memory, and how sure that is.
extension RecommendText {
  var gain: String? {
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

  static func amount(_ value: Double, _ unit: MetricUnit) -> String {
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
  var comparison: String? {
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

  var memory: String? {
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

  var certainty: String {
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

  static func list(_ names: [String], _ conjunction: String = "and") -> String {
    names.count < 2
      ? names.joined()
      : names.dropLast().joined(separator: ", ") + " \(conjunction) \(names[names.count - 1])"
  }
}
