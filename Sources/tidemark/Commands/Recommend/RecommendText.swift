import Analysis
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

/// A recommendation on one screen: the policy, its gain and cost, its certainty, and conditions that would
/// change it.
struct RecommendText {
  let outcome: RecommendOutcome

  var chosen: Proposal { outcome.chosen.proposal }
  var reference: Proposal { judged.reference }
  var rule: Goal { outcome.rule }
  var judged: RecommendOutcome.Judged { outcome.judged }

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
  var isValidated: Bool {
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
}
