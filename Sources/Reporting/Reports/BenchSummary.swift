package import Analysis
import ResultModel

/// The last screen of `bench`: what is open and missed, then what to ship, in at most ``height`` lines
/// of ``width`` columns, however many scenarios there are.
package enum BenchSummary {
  package static let height = 24
  package static let width = 80

  // With a line each for what is left out, the title, the tally and the place of the report.
  private static let mostOpen = 4
  private static let mostMissed = 5
  private static let mostChosen = 9

  /// - Parameters:
  ///   - verdicts: What the comparisons came to.
  ///   - judgements: What the targets came to.
  ///   - place: Where the report lies: the page to open.
  ///   - style: How it is painted.
  /// - Returns: The screen, a line feed at its end.
  package static func text(
    verdicts: [ScenarioVerdict], judgements: [TargetJudgement], place: String, style: TextStyle
  ) -> String {
    let open = verdicts.filter { $0.mostHits == nil && ($0.verdict?.choice ?? []).isEmpty }
    let lines =
      [Line("in short", .strong)]
      + cut(open.map(line), to: mostOpen, "not decided")
      + cut(missed(judgements), to: mostMissed, "with missed targets")
      + cut(chosen(verdicts), to: mostChosen, "winners")
      + (judgements.isEmpty ? [] : [Line("targets: " + BenchReport.tally(judgements))])
      + [Line("report: \(place)")]
    return lines.map { style.paint(fitted($0.text), $0.tone) + "\n" }.joined()
  }

  /// A scenario in one line, as soon as it is decided.
  package static func line(of verdict: ScenarioVerdict, style: TextStyle) -> String {
    style.paint(fitted("\(verdict.scenario): \(VerdictText.sentence(verdict))"), .plain) + "\n"
  }

  private struct Line {
    var text: String
    var tone: Tone

    init(_ text: String, _ tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }
  }

  /// The first lines, and how many are left out.
  private static func cut(_ lines: [Line], to most: Int, _ what: String) -> [Line] {
    guard lines.count > most else { return lines }
    return lines.prefix(most) + [Line("  + \(lines.count - most) more \(what), see the report")]
  }

  /// What has no room ends in an ellipsis: the report has it whole.
  private static func fitted(_ text: String) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "…"
  }

  private static func line(_ open: ScenarioVerdict) -> Line {
    let word = open.verdict.map(VerdictText.short) ?? "no policy competes"
    return Line("  \(open.scenario): \(word)", .doubtful)
  }

  /// A line for each scenario with missed targets: the first of them, and how many more.
  private static func missed(_ judgements: [TargetJudgement]) -> [Line] {
    let missed = judgements.filter { $0.outcome == .missed }
    return missed.distinct(\.target.scenario).map { scenario in
      let own = missed.filter { $0.target.scenario == scenario }
      guard let first = own.first else { return Line("") }
      let target = first.target
      let owner = first.policy.isEmpty ? "" : "\(first.policy) "
      let more = own.count == 1 ? "" : "; \(own.count - 1) more"
      return Line(
        "  missed in \(scenario): \(owner)\(target.name) "
          + "\(first.measuredText) (\(target.limitText))\(more)", .bad)
    }
  }

  /// A line for each policy, or each set of equals, that is to be shipped; who wins most comes first.
  private static func chosen(_ verdicts: [ScenarioVerdict]) -> [Line] {
    let decided = verdicts.filter { !($0.verdict?.choice ?? []).isEmpty }
    let groups = decided.distinct { $0.verdict?.choice ?? [] }.map { choice in
      (choice: choice, scenarios: decided.filter { $0.verdict?.choice == choice })
    }
    let ordered = groups.enumerated().sorted {
      let (first, second) = ($0.element.scenarios.count, $1.element.scenarios.count)
      return first != second ? first > second : $0.offset < $1.offset
    }.map(\.element)
    return ordered.map { group in
      Line(
        "  ship \(group.choice.joined(separator: " = ")) in "
          + (group.scenarios.count == 1
            ? group.scenarios.map(single).joined() : several(group.scenarios)))
    }
  }

  /// One scenario, by how much, and why.
  private static func single(_ scenario: ScenarioVerdict) -> String {
    guard let verdict = scenario.verdict, case .ship(let recommendation) = verdict.outcome,
      let lead = recommendation.lead, let runnerUp = recommendation.runnerUp
    else { return scenario.scenario }
    let why = VerdictText.reason(scenario).map { "; \($0)" } ?? ""
    return "\(scenario.scenario), \(VerdictText.difference(lead, verdict.rule)) before \(runnerUp)"
      + why
  }

  /// Several scenarios, and between which margins.
  private static func several(_ scenarios: [ScenarioVerdict]) -> String {
    let leads = scenarios.compactMap { scenario -> String? in
      guard let verdict = scenario.verdict, case .ship(let recommendation) = verdict.outcome else {
        return nil
      }
      return recommendation.lead.map { VerdictText.difference($0, verdict.rule) }
    }
    let margin = leads.first.map { " (\($0)\(leads.count > 1 ? ", …" : ""))" } ?? ""
    let count = "\(scenarios.count) scenarios\(margin): "
    // As many names as the narrowest line has room for.
    let shown = scenarios.prefix(2).map(\.scenario).joined(separator: ", ")
    let more = scenarios.count - 2
    return count + shown + (more > 0 ? " + \(more)" : "")
  }
}
