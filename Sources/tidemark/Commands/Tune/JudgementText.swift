import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// The judgement of a search on what it never looked at, in lines.
struct JudgementText {
  var judgement: Judgement
  var rule: Goal
  var scenarios: [String]
  var seeds: Int
  /// Of each idea.
  var trials: Int

  var lines: [String] {
    let on = "judged once on \(scenarios.joined(separator: ", ")) with \(seeds) fresh seeds"
    let own = judgement.mean.map {
      ", \(HumanNumber.interval($0.mean, $0.halfWidth, unit: rule.objective.unit)) "
        + rule.objective.name
    }
    let head =
      judgement.isBetter
      ? "found: \(judgement.found) beats every rival\(own ?? "")"
      : "none found in \(trials) trials that beats every rival beyond doubt; best: "
        + "\(judgement.found)\(own ?? "")"
    let limits = judgement.broken.map { broken in
      "  it does not keep \(broken.constraint.figure.name) "
        + "\(broken.constraint.comparison == .atMost ? "≤" : "≥") "
        + HumanNumber.text(.real(broken.constraint.limit), unit: broken.constraint.figure.unit)
        + " beyond doubt: "
        + HumanNumber.text(.real(broken.value), unit: broken.constraint.figure.unit)
    }
    return [on + ": " + head] + limits + judgement.leads.map(line)
  }

  private func line(_ lead: Judgement.Lead) -> String {
    let broken = lead.broken.isEmpty ? "" : ", which breaks a limit"
    guard let interval = lead.interval else {
      return "  \(lead.rival)\(broken): a figure is missing"
    }
    let difference = VerdictText.difference(interval, rule)
    // Behind says the sign.
    let amount = interval.high < 0 ? String(difference.drop { $0 == "-" }) : difference
    let word = interval.low > 0 ? "ahead of" : interval.high < 0 ? "behind" : "not told apart from"
    return "  \(amount) \(word) \(lead.rival)\(broken)"
  }
}
