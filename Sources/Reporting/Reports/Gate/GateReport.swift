package import Analysis
import ResultModel

/// The output of `gate`: regressions, the worst first and with their causes, targets that did not pass, what
/// was compared, and the fix.
package enum GateReport {
  /// The maximum lines of a screen; `verdict.json` has the rest.
  private static let height = 25
  private static let shownFields = 3
  /// The maximum figures listed by `--against`, shared by a few policies.
  private static let shownFigures = 40
  private static let shownPolicies = 8

  /// Returns at most ``height`` lines, and with `--against` at most about sixty of figures.
  package static func text(_ verdict: Verdict, style: TextStyle) -> String {
    var lines = verdict.incompatibilities.map {
      style.paint("incompatible", .bad) + ": \($0.explanation(renewal: verdict.renewal))"
    }
    lines += verdict.contenderChanges.map(line)
    lines += verdict.failedRuns.map { style.paint("not run", .bad) + ": \($0.reason)" }
    let kinds = Finding.Kind.allCases.filter { $0 != .changed || verdict.isStrict }
    lines += kinds.filter { $0.fails(isStrict: false) }.flatMap { Self.lines($0, verdict, style) }
    lines += targets(.missed, verdict, style)
    lines += MeasuredText.shown(verdict.measured).map {
      MeasuredText.line($0, among: verdict.measured, style: style)
    }
    lines += kinds.filter { !$0.fails(isStrict: false) }.flatMap { Self.lines($0, verdict, style) }
    lines += verdict.changedPolicies.filter { !$0.isNamed }.map {
      style.paint("differs", verdict.isStrict ? .bad : .doubtful)
        + " \($0.contender.scenario)/\($0.contender.policy): \(message($0))"
    }
    lines += targets(.undecided, verdict, style)
    let end = summary(verdict, style: style).flatMap { fitted($0, style) }
    let listed = figures(of: verdict).flatMap { fitted($0, style) }
    return (cut(lines.map { fitted($0, style) }, to: height - end.count) + listed + end)
      .map { $0 + "\n" }.joined()
  }

  private static func fitted(_ line: String, _ style: TextStyle) -> [String] {
    style.fitted(line).split(separator: "\n").map(String.init)
  }

  /// Returns the first entries that fit, and a line with the number of omitted ones.
  private static func cut(_ entries: [[String]], to most: Int) -> [String] {
    guard entries.joined().count > most else { return Array(entries.joined()) }
    var shown: [String] = []
    var count = 0
    for entry in entries {
      guard shown.count + entry.count < most else { break }
      shown += entry
      count += 1
    }
    return shown + ["… \(HumanNumber.count(Double(entries.count - count))) more, in verdict.json"]
  }

  private static func lines(
    _ kind: Finding.Kind, _ verdict: Verdict, _ style: TextStyle
  ) -> [String] {
    let owners = owners(of: kind, in: verdict)
    if kind == .addedContender, !owners.isEmpty {
      return ["not in the baseline: " + owners.map(name(of:)).joined(separator: ", ")]
    }
    return owners.map { line(kind, $0, style: style) }
  }

  private static func targets(
    _ outcome: TargetComparison.Outcome, _ verdict: Verdict, _ style: TextStyle
  ) -> [String] {
    verdict.targets.filter { $0.outcome == outcome }.map { line($0, style: style) }
  }

  static func word(_ kind: Finding.Kind) -> String {
    kind.rawValue.split(separator: "_").joined(separator: " ")
  }

  /// Returns the fields, the first of them by name.
  static func text(_ changes: [FieldChange]) -> String {
    let named = changes.prefix(shownFields).map { change in
      "\(change.path) was \(change.baseline ?? "absent"), is \(change.candidate ?? "absent")"
    }
    let more = changes.count - named.count
    return named.joined(separator: "; ") + (more > 0 ? "; \(more) more" : "")
  }

  static func line(_ change: ScenarioChange) -> String {
    let ofTargets = change.fields.count { $0.path.hasPrefix("targets.") }
    let subject =
      ofTargets == 0
      ? "policies" : ofTargets == change.fields.count ? "targets" : "policies and targets"
    return "\(change.scenario): the \(subject) differ from the baseline's: \(text(change.fields))"
  }

  // MARK: Findings

  /// The findings of one policy: the main one, its causes, and their number.
  struct Owner {
    var headline: Finding
    var causes: [Finding]
    var others: Int
  }

  /// Returns the policies with findings of a kind: by importance of the metric, then the largest first.
  static func owners(of kind: Finding.Kind, in verdict: Verdict) -> [Owner] {
    let own = verdict.findings.filter { $0.kind == kind }
    let owners = own.distinct { [$0.figure.scenario, $0.figure.policy] }.compactMap { key in
      let findings = own.filter { [$0.figure.scenario, $0.figure.policy] == key }
      return headline(of: findings).map { headline in
        Owner(
          headline: headline, causes: causes(of: headline, in: verdict),
          others: findings.count - 1)
      }
    }
    return owners.enumerated().sorted {
      let (first, second) = ($0.element.headline, $1.element.headline)
      // Points and percent are compared within a metric only.
      return (rank(of: first), -first.weight, $0.offset)
        < (rank(of: second), -second.weight, $1.offset)
    }.map(\.element)
  }

  /// Returns the importance of a finding's metric.
  private static func rank(of finding: Finding) -> Int {
    headlines.firstIndex {
      $0.metric == finding.figure.metric && $0.name == finding.figure.class
    } ?? headlines.count
  }

  /// The most important metrics in order.
  private static let headlines: [(metric: Metric, name: ResultClass)] = [
    (.freshHitRatio, .all), (.staleReadShare, .all), (.hitRatio, .all), (.readWait, .all),
    (.bytesFetched, .total),
    (.predictedBytes, .total),
  ]

  private static func headline(of findings: [Finding]) -> Finding? {
    for (metric, name) in headlines {
      if let finding = findings.first(where: {
        $0.figure.metric == metric && $0.figure.class == name
      }) {
        return finding
      }
    }
    return findings.max { $0.weight < $1.weight }
  }

  /// The changes in a cache's counts, in words where the metric's name has none.
  private static let causes: [(metric: Metric, name: ResultClass, words: String?)] = [
    (.evictions, .total, nil), (.missEvicted, .all, "reads lost to eviction"),
    (.missExpired, .all, "reads lost to expiry"),
    (.missInvalidated, .all, "reads lost to invalidation"),
    (.missCold, .all, "reads of answers unknown to the cache"), (.hitStale, .all, "stale reads"),
    (.fetches, .total, nil), (.resyncs, .total, nil),
  ]

  /// Returns the count that changed most in the same direction: a loss does not come from fewer evictions.
  private static func causes(of headline: Finding, in verdict: Verdict) -> [Finding] {
    guard headline.difference != nil else { return [] }
    let own = verdict.findings.filter { finding in
      guard finding.figure.scenario == headline.figure.scenario,
        finding.figure.policy == headline.figure.policy, finding.figure != headline.figure,
        let difference = finding.difference
      else { return false }
      return headline.kind == .worse ? difference > 0 : headline.kind != .better || difference < 0
    }
    let counted = causes.compactMap { metric, name, _ in
      own.first { $0.figure.metric == metric && $0.figure.class == name }
    }
    let largest = counted.max { abs($0.difference ?? 0) < abs($1.difference ?? 0) }
    return largest.map { [$0] } ?? []
  }

  private static func name(of owner: Owner) -> String {
    let figure = owner.headline.figure
    return figure.policy.isEmpty ? figure.scenario : "\(figure.scenario)/\(figure.policy)"
  }

  private static func line(_ kind: Finding.Kind, _ owner: Owner, style: TextStyle) -> String {
    let head = style.paint(word(kind), kind.tone) + " \(name(of: owner))"
    return kind == .removed ? head : head + ": " + message(kind, owner)
  }

  /// Returns the findings of one policy, in one line.
  static func message(_ kind: Finding.Kind, _ owner: Owner) -> String {
    switch kind {
    case .removed: return "the policy is in the baseline only"
    case .addedContender: return "the policy is not in the baseline"
    default:
      let figures = owner.others == 1 ? "figure" : "figures"
      let more = owner.others == 0 ? [] : ["\(owner.others) more \(figures) \(word(kind))"]
      return ([sentence(owner.headline)] + owner.causes.map(cause) + more).joined(separator: "; ")
    }
  }

  /// Returns one finding, as in `fresh_hit_ratio[all] 88.9 → 81.2 %, 7.7 ± 0.3 points worse`.
  static func sentence(_ finding: Finding) -> String {
    let figure = finding.figure
    let name = MainFigure(figure.metric, figure.statistic, class: figure.class).label
    switch finding.kind {
    case .missing:
      return name
        + (finding.baseline.map { " was \(text($0, figure)), has no value" } ?? " has no value")
    case .invalid: return "\(name) appears twice in this run"
    case .added: return "\(name) is not in the baseline"
    case .removed, .addedContender: return name
    case .worse, .better, .changed:
      guard let difference = finding.difference, let baseline = finding.baseline,
        let candidate = finding.candidate
      else { return "\(name) was observed in other seeds than before" }
      return "\(name) \(change(from: baseline, to: candidate, figure)), "
        + "\(size(of: finding, difference, baseline)) \(direction(of: finding, difference))"
    }
  }

  private static func direction(of finding: Finding, _ difference: Double) -> String {
    switch finding.kind {
    case .worse: "worse"
    case .better: "better"
    default: difference > 0 ? "more" : "less"
    }
  }

  private static func change(from old: Double, to new: Double, _ figure: FigureIdentity) -> String {
    guard figure.metric.unit == .ratio else {
      return "\(text(old, figure)) → \(text(new, figure))"
    }
    // As many decimals as are needed to show the difference.
    let decimals = abs(new - old) < 0.005 ? 2 : 1
    return "\(HumanNumber.fixed(old * 100, decimals: decimals)) → "
      + "\(HumanNumber.fixed(new * 100, decimals: decimals)) %"
  }

  /// Returns the size of a change: in points for a ratio, otherwise in percent, with ± for several seeds.
  private static func size(
    of finding: Finding, _ difference: Double, _ baseline: Double
  ) -> String {
    let isRatio = finding.figure.metric.unit == .ratio
    guard isRatio || baseline != 0 else { return text(abs(difference), finding.figure) }
    let scale = isRatio ? 100 : 100 / abs(baseline)
    let size = abs(difference) * scale
    let decimals = size < 1 ? 2 : 1
    let halfWidth = finding.halfWidth.map {
      " ± \(HumanNumber.fixed($0 * scale, decimals: decimals))"
    }
    return HumanNumber.fixed(size, decimals: decimals) + (halfWidth ?? "")
      + (isRatio ? " points" : " %")
  }

  /// As in `per run 412 more evictions`; the mean over seeds of a large count has no decimals.
  private static func cause(_ finding: Finding) -> String {
    let difference = finding.difference ?? 0
    let size = abs(difference) < 10 ? abs(difference) : abs(difference).rounded()
    let name = finding.figure.metric.name
    let words = causes.first { $0.metric == finding.figure.metric }?.words
    return "per run \(HumanNumber.count(size)) \(difference > 0 ? "more" : "fewer") "
      + (words.map { "\($0) (\(name))" } ?? name)
  }

  private static func text(_ value: Double, _ figure: FigureIdentity) -> String {
    HumanNumber.text(.real(value), unit: figure.metric.unit)
  }

  /// Returns a change of a policy whose main figures are the same, in one line.
  static func message(_ change: PolicyChange) -> String {
    let seeds = change.seeds.compactMap { $0.map(String.init) }.joined(separator: ", ")
    return "not the same in \(change.seeds.count) of \(change.compared) seeds"
      + (seeds.isEmpty ? "" : " (\(seeds))")
      + ", in figures below the main ones, which are the same; `tidemark gate --against REF`, with the "
      + "revision that made the baseline, lists them"
  }

  /// Returns the changed figures of the first policies with some, as `--against` lists them.
  private static func figures(of verdict: Verdict) -> [String] {
    let shown = verdict.listedPolicies.prefix(shownPolicies)
    let more = verdict.listedPolicies.count - shown.count
    return shown.flatMap { list($0, verdict, to: shownFigures / shown.count) }
      + (more > 0 ? ["what differs in \(more) more is in verdict.json"] : [])
  }

  /// Returns the first changed figures of a policy.
  private static func list(
    _ policy: ContenderIdentity, _ verdict: Verdict, to most: Int
  ) -> [String] {
    let own = verdict.findings.filter {
      $0.figure.scenario == policy.scenario && $0.figure.policy == policy.policy
    }
    let more = own.count - most
    return ["all that differs in \(policy.scenario)/\(policy.policy):"]
      + own.prefix(most).map { "  \(word($0.kind)) \(sentence($0))" }
      + (more > 0 ? ["  \(more) more, in verdict.json"] : [])
  }

  // MARK: Targets

  private static func line(_ comparison: TargetComparison, style: TextStyle) -> String {
    let judgement = comparison.judgement
    let target = judgement.target
    let owner =
      judgement.policy.isEmpty ? target.scenario : "\(target.scenario)/\(judgement.policy)"
    return style.paint("target", comparison.tone)
      + " \(owner): \(target.name) \(message(comparison))"
  }

  static func message(_ comparison: TargetComparison) -> String {
    let judgement = comparison.judgement
    let isWorst = judgement.seeds > 1 && judgement.measured != nil
    return "is \(judgement.measuredText)\(isWorst ? ", the worst of \(judgement.seeds)" : ""), "
      + "limit \(judgement.target.limitText): \(comparison.phrase)"
  }

  // MARK: Summary

  /// As in `4 main figures worse, 2 better, 90 the same, 1 policy removed`.
  private static func counted(_ verdict: Verdict) -> [String] {
    func count(_ kind: Finding.Kind) -> Int { verdict.findings.count { $0.kind == kind } }
    var figures = Finding.Kind.allCases.filter { ![.removed, .addedContender].contains($0) }
      .map { (count($0), word($0)) }
    figures.append((verdict.equalFigures, "the same"))
    figures.removeAll { $0.0 == 0 }
    let policies = [
      (count(.removed), "removed"), (count(.addedContender), "added"),
    ].filter { $0.0 > 0 }
    return figures.enumerated().map { place, figure in
      let noun = place > 0 ? "" : figure.0 == 1 ? "main figure " : "main figures "
      return "\(HumanNumber.count(Double(figure.0))) \(noun)\(figure.1)"
    }
      + policies.map { count, word in
        "\(HumanNumber.count(Double(count))) \(count == 1 ? "policy" : "policies") \(word)"
      }
  }

  private static func summary(_ verdict: Verdict, style: TextStyle) -> [String] {
    let tone: Tone =
      switch verdict.outcome {
      case .passed: .good
      case .failed, .incompatible: .bad
      case .inconclusive: .doubtful
      }
    var lines = [style.paint("gate \(verdict.outcome.rawValue)", tone) + ": " + counts(verdict)]
    lines += MeasuredText.power(verdict.measured).map { [$0] } ?? []
    lines += verdict.untested.map { "not compared: \($0)" }
    let wantsBaseline =
      verdict.findings.contains {
        switch $0.kind {
        case .worse, .removed, .changed, .better, .added, .addedContender: true
        case .missing, .invalid: false
        }
      } || !verdict.changedPolicies.isEmpty
    if wantsBaseline {
      lines.append("if this was intended, renew the baseline: \(verdict.renewal)")
    }
    return lines
  }

  /// Returns the number of figures of each kind, and the results of targets.
  static func counts(_ verdict: Verdict) -> String {
    let runs =
      verdict.comparedRuns == 0
      ? []
      : [
        "\(HumanNumber.count(Double(verdict.equalRuns))) of "
          + "\(HumanNumber.count(Double(verdict.comparedRuns))) runs the same in every exact figure"
      ]
    let targets = [
      (TargetComparison.Outcome.met, "met"), (.missed, "missed"), (.undecided, "without a verdict"),
      (.stillMissed, "missed as in the baseline"),
    ]
    .map { outcome, words in (verdict.targets.count { $0.outcome == outcome }, words) }
    .filter { $0.0 > 0 }
    .map { "\($0.0) \($0.1)" }
    let parts =
      [
        counted(verdict).joined(separator: ", "),
        MeasuredText.counts(verdict.measured).joined(separator: ", "),
      ].filter { !$0.isEmpty } + runs
    return (parts.isEmpty ? "nothing was compared" : parts.joined(separator: "; "))
      + (targets.isEmpty ? "" : "; targets: " + targets.joined(separator: ", "))
  }
}
