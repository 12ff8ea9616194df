import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// A recommendation on one screen: what to ship, what it gains and costs, how sure that is, and what would
/// change it.
struct RecommendText {
  let outcome: RecommendOutcome

  private var chosen: Proposal { outcome.chosen.proposal }
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
    if let client = outcome.client {
      lines += ["", "  From \(client.source):", ""]
      lines += try client.configuration(of: chosen).map { "    " + $0 }
    }
    return lines
  }

  private static let indent = 15

  private var head: String {
    let bare = chosen.withoutLimits.label
    let limit = chosen.fields.first { $0.name == "capacity-memory" }?.value
    let words = bare + (limit.map { ", \(Self.size($0)) of memory" } ?? "")
    if let recorded = outcome.chosen.recorded, recorded.best.isEmpty {
      return "\(outcome.input.name): \(open(recorded, words))"
    }
    return switch outcome.chosen.verdict.outcome {
    case .ship, .equivalent: "\(outcome.input.name): ship \(words)"
    case .noneFeasible(let shortfall):
      "\(outcome.input.name): nothing that was tried keeps the limits; nearest: \(words)"
        + (shortfall.broken.first.map { ", \(Self.broken($0))" } ?? "")
    case .bestOfOneSeed(let best) where best.isEmpty:
      "\(outcome.input.name): nothing that was tried keeps the limits; nearest: \(words)"
    case .bestOfOneSeed, .bestOfFewUsers: "\(outcome.input.name): best is \(words); not validated"
    case .notDecided, .nobody: "\(outcome.input.name): not decided; the best mean has \(words)"
    }
  }

  /// What a recording cannot say, and the policies between which it cannot.
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
      return "this recording cannot say which is best: of no hit does it tell that it was fresh"
    }
    let fresh = recorded.ifFresh.named.first ?? ""
    return "this recording cannot say: \(words) if the hits of which it does not tell were stale, "
      + "\(fresh) if they were fresh"
  }

  private static func broken(_ judgement: ConstraintJudgement) -> String {
    let figure = judgement.constraint.figure
    return "\(figure.name) "
      + HumanNumber.text(.real(judgement.value), unit: figure.unit) + " instead of "
      + HumanNumber.text(.real(judgement.constraint.limit), unit: figure.unit)
  }

  private static func size(_ text: String) -> String {
    Double(text.prefix { $0.isNumber }).map(HumanNumber.bytes) ?? text
  }

  // MARK: Lines

  private var gain: String? {
    let figure = rule.objective
    if judged.ends.count > 1 { return gainOfRecording }
    guard let own = judged.own.complete(figure), !own.isEmpty else { return nil }
    let mean = own.reduce(0, +) / Double(own.count)
    let value =
      MeanInterval(of: own).map {
        HumanNumber.interval($0.mean, $0.halfWidth, unit: figure.unit)
      } ?? HumanNumber.text(.real(mean), unit: figure.unit)
    let name = figure == Figure(.freshHitRatio) ? "of reads are fresh hits" : figure.name
    guard let theirs = judged.theirs?.complete(figure) else {
      return "\(value) \(name): it is \(judged.isNow ? "what the app does now" : "as it ships")"
    }
    let today = judged.isNow ? "\(judged.reference), which is there now" : judged.reference
    let lead =
      rule.direction == .maximise
      ? PairedInterval(of: own, less: theirs) : PairedInterval(of: theirs, less: own)
    guard let lead else {
      let difference = own.reduce(0, +) - theirs.reduce(0, +)
      return "\(value) \(name); "
        + "\(figure.unit == .ratio ? HumanNumber.points(difference) + " points" : HumanNumber.text(.real(difference), unit: figure.unit)) "
        + "against \(today)"
    }
    let word = lead.low > 0 ? "ahead of" : lead.high < 0 ? "behind" : "not told apart from"
    let amount = VerdictText.difference(lead, rule)
    return "\(value) \(name), \(lead.high < 0 ? String(amount.drop { $0 == "-" }) : amount) "
      + "\(word) \(today)"
  }

  /// The same of the recording of an app, at both ends of what it leaves open.
  private var gainOfRecording: String? {
    let figure = rule.objective
    let own = judged.ends.compactMap { judged.own.complete($0)?.first }
    guard let low = own.min(), let high = own.max() else { return nil }
    func text(_ value: Double) -> String { HumanNumber.text(.real(value), unit: figure.unit) }
    let value =
      figure.unit == .ratio
      ? HumanNumber.range(low, high) : low == high ? text(low) : "\(text(low)) to \(text(high))"
    let name = figure.name == Metric.freshHitRatio.name ? "of reads are fresh hits" : figure.name
    guard let sample = judged.theirs else {
      return "\(value) \(name): it is \(judged.isNow ? "what the app does now" : "as it ships")"
    }
    let theirs = judged.ends.compactMap { sample.complete($0)?.first }
    guard theirs.count == own.count else { return "\(value) \(name)" }
    let today = judged.isNow ? "\(judged.reference), which is there now" : judged.reference
    // What was served from a cache of the app's is not in the file as a read of the server.
    let isComparable = !judged.isNow || outcome.reads?.doubt == nil
    return "\(value) \(name), \(Self.between(zip(own, theirs).map { $0 - $1 }, figure.unit)) "
      + "against \(today)"
      + (isComparable ? "" : ", but not comparable: it is recorded with caches on")
  }

  /// Differences at both ends, as one if they look alike.
  private static func between(_ differences: [Double], _ unit: MetricUnit) -> String {
    let texts = differences.sorted().map { difference in
      let amount =
        unit == .ratio
        ? HumanNumber.points(difference) : HumanNumber.text(.real(difference), unit: unit)
      return difference > 0 ? "+\(amount)" : amount
    }
    return texts.distinct(\.self).joined(separator: " to ") + (unit == .ratio ? " points" : "")
  }

  /// How many more of its reads are stale than the reference's, if a recording leaves that open.
  private var openStaleness: String? {
    let ends = [Statistic.lower, .upper].map { Figure(.staleReadShare, $0) }
    let differences = ends.compactMap { figure -> Double? in
      guard let own = judged.own.complete(figure)?.first,
        let other = judged.theirs?.complete(figure)?.first
      else { return nil }
      return own - other
    }
    guard differences.count == 2 else { return nil }
    guard let low = differences.min(), let high = differences.max(), low * high > 0 else {
      return "\(Self.between(differences, .ratio)) of staleness"
    }
    let sizes = [low.magnitude, high.magnitude].sorted().map(HumanNumber.points)
    return "\(sizes.distinct(\.self).joined(separator: " to ")) points "
      + "\(low > 0 ? "more" : "less") staleness"
  }

  /// What it costs beside the reference, figure by figure.
  private var price: String? {
    guard let theirs = judged.theirs else { return nil }
    let parts = [
      (Figure.bytesReceived, "fetched"), (.readWait, "wait"), (.staleReadShare, "staleness"),
      (.peakMemory, "memory"),
    ].compactMap { figure, name -> String? in
      guard let own = judged.own.complete(figure), let other = theirs.complete(figure),
        !own.isEmpty, own.count == other.count
      else { return figure == .staleReadShare ? openStaleness : nil }
      let difference = (own.reduce(0, +) - other.reduce(0, +)) / Double(own.count)
      // Less than a twentieth of a point shows as none.
      guard difference.magnitude >= (figure.unit == .ratio ? 0.0005 : 1) else {
        return "as much \(name)"
      }
      let amount =
        figure.unit == .ratio
        ? HumanNumber.points(difference.magnitude) + " points"
        : HumanNumber.text(.real(difference.magnitude), unit: figure.unit)
      return "\(amount) \(difference > 0 ? "more" : "less") \(name)"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ") + ", against \(judged.reference)"
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
      } ?? "more would help"
    return "\(knee): " + points.joined(separator: ", ") + ", no limit \(text(unlimited))"
  }

  private var certainty: String {
    let trials =
      "best of \(outcome.tried) settings of "
      + (outcome.policies == 1 ? "1 policy" : "\(outcome.policies) policies")
    guard outcome.input.isDrawn else {
      let basis = outcome.reads.map {
        "; \($0.repeats) of \($0.reads) reads could have been hits, so one read is "
          + "\(HumanNumber.points(1 / Double($0.reads))) points"
      }
      return
        "\(trials) on one recording, on which it was chosen too, so not validated: record more users, "
        + "at least 4" + (basis ?? "") + (outcome.reads?.doubt.map { "; \($0)" } ?? "")
    }
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
      + "gain and price are of \(judged.seeds) seeds that neither saw"
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
