import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// A recommendation on one screen: the policy, its gain and cost, its certainty, and conditions that would
/// change it.
struct RecommendText {
  let outcome: RecommendOutcome

  private var chosen: Proposal { outcome.chosen.proposal }
  private var reference: Proposal { judged.reference }
  private var rule: Goal { outcome.rule }
  private var judged: RecommendOutcome.Judged { outcome.judged }

  func lines() throws -> [String] {
    var lines = [head, ""]
    for (label, text) in [
      ("Gain", gain), ("Price", price), ("Memory", memory), ("How sure", certainty),
      ("Changes with", circumstances),
    ] {
      guard let text else { continue }
      lines += WrappedText.labelled(
        "  " + label, text, indent: Self.indent, width: Console.style.width)
    }
    guard let client = outcome.client else { return lines }
    let configuration =
      client.knobs.isEmpty || outcome.answer == reference
      ? [] : try client.configuration(of: chosen).map { "    " + $0 }
    lines += ["", "  From \(client.source)" + (configuration.isEmpty ? "" : ":")]
    return lines + (configuration.isEmpty ? [] : [""] + configuration)
  }

  private static let indent = 15

  private var head: String {
    let name = outcome.input.name
    if let client = outcome.client, client.knobs.isEmpty {
      return "\(name): \(client.name) has no limit and no age to set; \(client.advice)"
    }
    let words = Self.words(chosen)
    if let recorded = outcome.chosen.recorded, recorded.best.isEmpty {
      return "\(name): \(open(recorded, words))"
    }
    let verdict = outcome.chosen.verdict.outcome
    switch verdict {
    case .noneFeasible(let shortfall):
      return "\(name): nothing that was tried keeps the limits; nearest: \(words)"
        + (shortfall.broken.first.map { ", \(Self.broken($0))" } ?? "")
    case .bestOfOneSeed(let best) where best.isEmpty:
      return "\(name): nothing that was tried keeps the limits; nearest: \(words)"
    case .bestOfFewUsers(let few) where few.best.isEmpty:
      return "\(name): nothing that was tried keeps the limits; nearest: \(words)"
    default: break
    }
    if outcome.answer == reference {
      return judged.isNow
        ? "\(name): nothing to change: keep \(reference.label)"
        : "\(name): ship \(reference.label) as it is: nothing that was tried is better"
    }
    switch verdict {
    case .notDecided, .nobody: return "\(name): not decided; the best mean has \(words)"
    case .bestOfOneSeed, .bestOfFewUsers:
      return isValidated
        ? "\(name): ship \(words)" : "\(name): best is \(words); not validated"
    default: return "\(name): ship \(words)"
    }
  }

  /// Whether it was judged on other replicates than those used to choose.
  private var isValidated: Bool {
    outcome.input.recorded.map { $0.users.count >= Replicate.user.fewestForInterval } ?? true
  }

  /// Returns a proposal with its memory limit in a suitable unit.
  private static func words(_ proposal: Proposal) -> String {
    let limit = proposal.fields.first { $0.name == "capacity-memory" }?.value
    return proposal.withoutLimits.label + (limit.map { ", \(size($0)) of memory" } ?? "")
  }

  /// Returns what a recording cannot decide, and between which policies.
  private func open(_ recorded: RecordedVerdict, _ words: String) -> String {
    let limits = recorded.candidates.flatMap(recorded.openLimits).distinct(\.self)
    if recorded.ifFresh.named.isEmpty {
      return "nothing that was tried keeps the limits; nearest: \(words)"
    }
    if recorded.ifStale.named.isEmpty, let best = recorded.ifFresh.named.first {
      return "this recording cannot say whether \(best) keeps "
        + (limits.first.map { "the limit on \($0.figure.name)" } ?? "the limits")
    }
    if recorded.ifStale.named == recorded.ifFresh.named {
      return "this recording cannot say which is best: it does not say which hits were fresh"
    }
    let fresh = recorded.ifFresh.named.first ?? ""
    return "this recording cannot say: \(words) if the unverified hits were stale, "
      + "\(fresh) if they were fresh"
  }

  private static func broken(_ judgement: ConstraintJudgement) -> String {
    let figure = judgement.constraint.figure
    return "\(figure.name) "
      + HumanNumber.text(.real(judgement.value), unit: figure.unit) + " instead of "
      + HumanNumber.text(.real(judgement.constraint.limit), unit: figure.unit)
  }

  private static func size(_ text: String) -> String {
    text.hasSuffix(" B") ? Double(text.dropLast(2)).map(HumanNumber.bytes) ?? text : text
  }

  // MARK: Lines

  private var gain: String? {
    guard let own = value(of: judged.own) else { return nil }
    guard let theirs = judged.theirs else {
      return "\(own): it is \(judged.isNow ? "what the app does now" : "as it ships")"
    }
    guard let lead, let other = value(of: theirs, isNamed: false) else { return own }
    if outcome.answer == reference, let kept = value(of: theirs) {
      let reason =
        judged.breaks(judged.own) && !judged.breaks(theirs)
        ? "but breaks a limit of the goal" : "which is not worth a change"
      return "\(kept); the best of what was tried, \(Self.words(chosen)), is \(lead) it, \(reason)"
    }
    let today =
      judged.isNow && outcome.client == nil
      ? "\(reference.label), which is there now," : reference.label
    // A client without options is compared with other caches.
    let subject = outcome.client?.knobs.isEmpty == true ? " with \(Self.words(chosen))" : ""
    // Reads served by the app's own cache are not in the file as reads of the server.
    let isComparable = !judged.isNow || outcome.client != nil || outcome.reads?.doubt == nil
    return "\(own)\(subject), \(lead) \(today) with \(other)"
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
    let leads = judged.leads
    guard leads.count == judged.rules.count else { return nil }
    let unit = rule.objective.unit
    if unit == .ratio, leads.allSatisfy({ $0.mean.magnitude < judged.oneRead }) {
      return "within one read of"
    }
    let isAhead = leads.allSatisfy { $0.low > 0 }
    let isBehind = leads.allSatisfy { $0.high < 0 }
    let texts = leads.sorted { $0.mean < $1.mean }.map { lead in
      Self.amount(lead, unit, isSigned: !isAhead && !isBehind)
    }
    let amount =
      texts.distinct(\.self).joined(separator: " to ") + (unit == .ratio ? " points" : "")
    if isAhead { return "\(amount) ahead of" }
    if isBehind { return "\(amount) behind" }
    return leads.count == 1 && leads[0].halfWidth != nil
      ? "\(amount) not significantly different from" : "\(amount) from"
  }

  private static func amount(
    _ difference: RecommendOutcome.Judged.Difference, _ unit: MetricUnit, isSigned: Bool
  ) -> String {
    func text(_ value: Double) -> String {
      unit == .ratio ? HumanNumber.points(value) : HumanNumber.text(.real(value), unit: unit)
    }
    let mean =
      isSigned
      ? (difference.mean > 0 ? "+" : "") + text(difference.mean) : text(difference.mean.magnitude)
    return mean + (difference.halfWidth.map { " ± \(text($0))" } ?? "")
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

  /// The cost compared with the reference, figure by figure.
  private var price: String? {
    guard judged.theirs != nil, outcome.answer != reference else { return nil }
    let parts = [
      (Figure.bytesReceived, "fetched"), (.readWait, "wait"), (.staleReadShare, "staleness"),
      (.peakMemory, "memory"),
    ].compactMap { figure, name -> String? in
      guard let difference = judged.difference(figure)?.mean else {
        return figure == .staleReadShare ? openStaleness : nil
      }
      // Less than a twentieth of a point would be shown as zero.
      guard difference.magnitude >= (figure.unit == .ratio ? 0.0005 : 1) else {
        return "as much \(name)"
      }
      let amount =
        figure.unit == .ratio
        ? HumanNumber.points(difference.magnitude) + " points"
        : HumanNumber.text(.real(difference.magnitude), unit: figure.unit)
      return "\(amount) \(difference > 0 ? "more" : "less") \(name)"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ") + ", against \(reference.label)"
  }

  private var memory: String? {
    guard let unlimited = outcome.curve.unlimited, !outcome.curve.points.isEmpty,
      outcome.chosen.recorded?.best.isEmpty != true
    else { return nil }
    let unit = rule.objective.unit
    func text(_ value: Double) -> String { HumanNumber.text(.real(value), unit: unit) }
    let points = outcome.curve.points.map {
      "\(HumanNumber.bytes(Double($0.memory))) \(text($0.value))"
    }
    let knee =
      outcome.curve.knee.map {
        "\(HumanNumber.bytes(Double($0))) is within \(unit == .ratio ? "1 point" : "2 %") of no limit"
      }
      ?? (outcome.curve.wouldMoreHelp
        ? "more would help" : "the limits that it has are as good as none")
    return "\(knee): " + points.joined(separator: ", ") + ", no limit \(text(unlimited))"
  }

  private var certainty: String {
    // Other possibilities were not tried.
    let trials =
      "best of \(outcome.tried) settings of "
      + (outcome.policies.count == 1
        ? outcome.policies[0]
        : outcome.policies.dropLast().joined(separator: ", ") + " and "
          + (outcome.policies.last ?? "") + ", the only policies tried,")
    guard let recorded = outcome.input.recorded else {
      let verdict = outcome.chosen.verdict
      let zone =
        if case .equivalent(let equivalence) = verdict.outcome, equivalence.contenders.count > 1 {
          "; equivalent to \(equivalence.contenders.count - 1) other finalists"
        } else if case .notDecided(let indecision) = verdict.outcome {
          "; open among \(indecision.left.count) finalists"
        } else {
          ""
        }
      return
        "\(trials) on \(outcome.seedsOfSearch) seeds, chosen on \(verdict.seeds) others\(zone); "
        + "gain and price are of \(judged.count) seeds that neither saw"
    }
    let users = recorded.users.count
    let fewest = Replicate.user.fewestForInterval
    let basis = outcome.reads.map {
      "; \($0.repeats) of \($0.reads) reads could have been hits, so one read is "
        + "\(HumanNumber.points(1 / Double(max($0.reads, 1)))) points"
    }
    let doubts = (basis ?? "") + (outcome.reads?.doubt.map { "; \($0)" } ?? "")
    guard isValidated else {
      let on = users == 1 ? "one recording, on which" : "\(Replicate.user.text(users)), on whom"
      return
        "\(trials) on \(on) it was chosen too, so not validated: record more users, at least \(fewest)"
        + doubts
    }
    return
      "\(trials) on \(Replicate.user.text(outcome.chosen.verdict.seeds)); gain and price are of "
      + "\(judged.count) others"
      + (judged.count < fewest
        ? ", too few for an interval: record more users, at least \(2 * fewest)" : "") + doubts
  }

  private var circumstances: String? {
    let parts = outcome.elsewhere.map { elsewhere in
      switch elsewhere.answer {
      case .same: "\(elsewhere.label): the same"
      case .other(let policies): "\(elsewhere.label): \(policies.joined(separator: " or "))"
      case .open: "\(elsewhere.label): open"
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
