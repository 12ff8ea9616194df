package import Analysis
import Metrics

/// What `gate` prints: every difference by name, the targets that did not pass, and the remedy.
package enum GateReport {
  /// Differences of one kind shown before the rest is counted; `verdict.json` holds them all.
  package static let shownPerKind = 40

  package static func text(_ verdict: Verdict, style: TextStyle) -> String {
    var lines = verdict.incompatibilities.map {
      style.paint("incompatible", .bad) + ": \($0.explanation)"
    }
    for kind in Difference.Kind.allCases {
      let own = verdict.differences.filter { $0.kind == kind }
      lines += own.prefix(shownPerKind).map { line($0, style: style) }
      if own.count > shownPerKind {
        lines.append("\(kind.rawValue): and \(own.count - shownPerKind) more, in verdict.json")
      }
    }
    for outcome in [TargetComparison.Outcome.missed, .undecided, .stillMissed] {
      lines += verdict.targets.filter { $0.outcome == outcome }.map { line($0, style: style) }
    }
    lines.append(summary(verdict, style: style))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ difference: Difference, style: TextStyle) -> String {
    func show(_ value: MetricValue?) -> String {
      switch value {
      case nil: "nothing"
      case .integer(let value): String(value)
      case .real(let value): value.description
      }
    }
    let change =
      switch difference.kind {
      case .missing: difference.baseline.map { "was \(show($0)), has no value" } ?? "has no value"
      case .unbaselined: "is \(show(difference.candidate)), not in the baseline"
      case .invalid: "is twice in this run"
      case .regressed, .improved, .changed:
        "was \(show(difference.baseline)), is \(show(difference.candidate))"
      }
    return style.paint(difference.kind.rawValue, difference.kind.tone)
      + " \(difference.identity): \(change)"
  }

  private static func line(_ comparison: TargetComparison, style: TextStyle) -> String {
    let judgement = comparison.judgement
    let target = judgement.target
    let owner =
      judgement.policy.isEmpty ? target.scenario : "\(target.scenario)/\(judgement.policy)"
    return style.paint("target", comparison.tone)
      + " \(owner): \(target.name) is \(target.measuredText(judgement.measured)), "
      + "limit \(target.limitText): \(comparison.phrase)"
  }

  private static func summary(_ verdict: Verdict, style: TextStyle) -> String {
    let tone: Tone =
      switch verdict.outcome {
      case .passed: .good
      case .failed, .incompatible: .bad
      case .inconclusive: .doubtful
      }
    let counts = Difference.Kind.allCases
      .map { kind in (kind, verdict.differences.count { $0.kind == kind }) }
      .filter { $0.1 > 0 }
      .map { "\($0.1) \($0.0.rawValue)" }
    let equal = "\(verdict.equalRows) rows equal"
    let targets = [
      (TargetComparison.Outcome.missed, "missed"), (.undecided, "without a verdict"),
      (.stillMissed, "missed, as in the baseline"),
    ]
    .map { outcome, words in (verdict.targets.count { $0.outcome == outcome }, words) }
    .filter { $0.0 > 0 }
    .map { "; targets \($0.1): \($0.0)" }
    .joined()
    let text =
      style.paint("gate \(verdict.outcome.rawValue)", tone) + ": "
      + ([equal] + counts).joined(separator: ", ") + targets
    let wantsBaseline = verdict.differences.contains {
      switch $0.kind {
      case .regressed, .changed, .improved, .unbaselined: true
      case .missing, .invalid: false
      }
    }
    return wantsBaseline ? text + "\nif this was meant, renew the baseline: make baseline" : text
  }
}
