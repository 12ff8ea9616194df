package import Analysis
package import ResultModel

/// The output of `bench`: the policies of every scenario, recommendations, real-time measurements, and
/// targets.
package struct BenchReport: Sendable {
  package var rows: [ResultRow]
  package var verdicts: [ScenarioVerdict]
  package var judgements: [TargetJudgement]
  /// The rows by which the targets were judged, by seed.
  package var judged: [ResultRow]
  package var axes: [AxisEffect] = []
  /// The policies of one scenario on the real cache, as in ``SessionTable``.
  package var measured: [ResultRow] = []
  /// The number of robustness checks omitted for lack of time.
  package var unasked = 0
  /// The counted memory of real caches, with predictions.
  package var counted: [ResultRow] = []
  /// A line below a scenario's table, by its name.
  package var notes: [String: String] = [:]
  /// Whether it explains its columns.
  package var hasLegends = true

  package init(
    rows: [ResultRow], verdicts: [ScenarioVerdict], targets: [Target] = [],
    judged: [ResultRow] = []
  ) {
    self.rows = rows
    self.verdicts = verdicts
    self.judged = judged
    judgements = TargetJudge(rows: judged).judge(targets)
  }

  package func text(style: TextStyle) -> String {
    let comparisons = verdicts.map { verdict in
      VerdictBlock.text(verdict, rows: rows, note: notes[verdict.scenario], style: style) + "\n"
    }
    return style.fitted(comparisons.joined() + textAfterComparisons(style: style))
  }

  /// Returns the fresh reads of a few policies, before the whole comparison.
  package static func firstLook(
    at policies: [String], seeds: Int, rows: [ResultRow], style: TextStyle
  ) -> String {
    section(
      "fresh hits, %: a first look, \(Replicate.seed.text(seeds)) each; the whole comparison follows",
      FreshReadsTable.table(of: policies, rows: rows), style) + "\n"
  }

  /// Returns the text after the tables of single scenarios.
  private func textAfterComparisons(style: TextStyle) -> String {
    let simulated = [ship(style), axisChanges(style)]
    let measured = [
      policies(style), MemoryTable.section(counted, style: style, hasLegend: hasLegends),
      latencies(style),
    ]
    return
      (simulated + measured + stages(style) + alternatives(style) + [
        figures(style), targets(style),
      ])
      .compactMap { $0 }
      .joined(separator: "\n")
  }

  private func ship(_ style: TextStyle) -> String? {
    guard !verdicts.isEmpty else { return nil }
    let legend =
      hasLegends ? VerdictBlock.legend(of: verdicts, rows: rows, style: style) : nil
    // For one scenario the lines above its table suffice.
    guard verdicts.count > 1 else { return legend }
    return Self.section(
      "fresh hits, %", FreshReadsTable.table(of: Self.policiesOfAll, rows: rows), style) + "\n"
      + Self.section("which policy to ship", RecommendationTable.table(verdicts), style)
      + shortOfTime + (legend.map { "\n" + $0 } ?? "")
  }

  private var shortOfTime: String {
    guard unasked > 0 else { return "" }
    return "  \(unasked) robustness checks and memory levels were skipped for lack of time: "
      + "`tidemark simulate NAME --seeds auto` makes all\n"
  }

  private func axisChanges(_ style: TextStyle) -> String? {
    guard !axes.isEmpty else { return nil }
    return Self.section(AxisTable.title, AxisTable.table(axes), style)
  }

  /// The policies compared over all scenarios.
  private static let policiesOfAll = ["lru", "refcount", "ttl", "spacedrive", "unbounded"]

  private func policies(_ style: TextStyle) -> String? {
    guard let scenario = measured.first?.scenario else { return nil }
    return style.paint("policies in real time: \(scenario), on this machine", .strong) + "\n"
      + SessionTable.section(measured, style: style, hasLegend: hasLegends)
      + "  everything: latency.csv\n"
  }

  private func latencies(_ style: TextStyle) -> String? {
    let shown = Set(measured.map(\.scenario)).union([AlternativeTable.scenario])
    let rows = rows.filter {
      !shown.contains($0.scenario) && [.eventCost, .controlEventCost].contains($0.metric)
    }
    guard !rows.isEmpty else { return nil }
    return Self.section(
      "the cache's own share of an event, on this machine",
      DistributionTable.table(rows, showsScenario: false), style)
  }

  /// Returns one section per path from a device to the screen.
  private func stages(_ style: TextStyle) -> [String?] {
    StageTable.classes(of: rows).map { name in
      Self.section(
        "from the device to the screen, \(name)", StageTable.table(of: name, rows: rows), style)
    }
  }

  /// Returns one section per kind of event.
  private func alternatives(_ style: TextStyle) -> [String?] {
    let rows = rows.filter { $0.scenario == AlternativeTable.scenario }
    return AlternativeTable.classes(of: rows).map { name in
      Self.section(
        "compared with alternatives: \(AlternativeReport.title(of: name))",
        AlternativeTable.table(of: name, rows: rows), style)
    }
  }

  private func figures(_ style: TextStyle) -> String? {
    let shown = Set(measured.map(\.scenario)).union([AlternativeTable.scenario])
    let rows = rows.measuredFigures.filter {
      !shown.contains($0.scenario) && !MemoryTable.shows($0, in: self.rows)
    }
    guard !rows.isEmpty else { return nil }
    return Self.section(
      "memory and throughput on this machine", DistributionTable.table(rows, showsScenario: false),
      style)
  }

  private func targets(_ style: TextStyle) -> String? {
    guard !judgements.isEmpty else { return nil }
    return Self.section("targets", TargetTable.table(judgements, rows: judged), style)
      + "  By target and policy: \(Self.tally(judgements)). \(Self.seeds(judgements))\n"
  }

  /// Returns which seeds the figures of targets are from: those that `gate` judges.
  private static func seeds(_ judgements: [TargetJudgement]) -> String {
    let most = judgements.map(\.seeds).max() ?? 0
    if most > 1 {
      return
        "Measured: the worst value of the policies in the first \(most) seeds, which `gate` judges."
    }
    guard let seed = judgements.lazy.compactMap(\.seed).first else {
      return "Measured: the worst value of the policies."
    }
    return
      "Measured: the worst value of the policies in seed \(seed); `gate` judges \(TargetJudge.seeds) seeds."
  }

  private static func section(_ title: String, _ table: TextTable, _ style: TextStyle) -> String {
    style.paint(title, .strong) + "\n" + table.terminal(style: style, indent: 2)
  }

  static func tally(_ judgements: [TargetJudgement]) -> String {
    let met = judgements.count { $0.outcome == .met }
    let missed = judgements.count { $0.outcome == .missed }
    let doubtful = judgements.count { $0.leavesDoubt }
    return "\(met) met, \(missed) missed, \(doubtful) without a verdict"
  }
}

/// The last screen of `bench`: open and missed items, then recommendations, in at most ``height`` lines,
/// however many scenarios there are.
package enum BenchSummary {
  package static let height = 24

  // Including a line each for omitted items, the title, the tally and the report's path.
  private static let mostOpen = 4
  private static let mostMissed = 5
  private static let mostChosen = 9
  private static let mostAnnounced = 28

  package static func text(
    verdicts: [ScenarioVerdict], judgements: [TargetJudgement], place: String, style: TextStyle
  ) -> String {
    let open = verdicts.filter { $0.recorded == nil && ($0.verdict?.choice ?? []).isEmpty }
    let lines =
      [Line("in short", .strong)]
      + cut(open.map(line), to: mostOpen, "not decided")
      + cut(missed(judgements), to: mostMissed, "with missed targets")
      + cut(chosen(verdicts), to: mostChosen, "winners")
      + (judgements.isEmpty ? [] : [Line("targets: " + BenchReport.tally(judgements))])
      + [Line("report: \(place)")]
    return lines.map { style.paint(fitted($0.text, style), $0.tone) + "\n" }.joined()
  }

  /// The scenarios that have a line each once they are decided: with the first table and the last screen at most 60
  /// lines, however many there are.
  package static func announced(among scenarios: [String]) -> [String] {
    scenarios.count > mostAnnounced ? Array(scenarios.prefix(mostAnnounced - 1)) : scenarios
  }

  /// Returns a scenario in one line, once it is decided.
  package static func line(of verdict: ScenarioVerdict, style: TextStyle) -> String {
    fitted("\(verdict.scenario): \(VerdictText.sentence(verdict))", style) + "\n"
  }

  private struct Line {
    var text: String
    var tone: Tone

    init(_ text: String, _ tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }
  }

  /// Returns the first lines, and a line with the number of omitted ones; a single one takes its place.
  private static func cut(_ lines: [Line], to most: Int, _ what: String) -> [Line] {
    guard lines.count > most + 1 else { return lines }
    return lines.prefix(most) + [Line("  + \(lines.count - most) more \(what), see the report")]
  }

  /// Returns a line truncated with an ellipsis: the report has it in full.
  private static func fitted(_ text: String, _ style: TextStyle) -> String {
    guard text.count > style.width else { return text }
    return (WrappedText.lines(text, width: style.width - 2).first ?? "") + " …"
  }

  private static func line(_ open: ScenarioVerdict) -> Line {
    let word =
      open.verdict.map { VerdictText.short($0, open.exceededLimits) } ?? "no policy competes"
    return Line("  \(open.scenario): \(word)", .doubtful)
  }

  /// Returns a line for each scenario with missed targets: the first of them, and the number of others.
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

  /// Returns a line for each recommended policy, or each set of equal ones; those that win most come first.
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

  private static func single(_ scenario: ScenarioVerdict) -> String {
    guard let verdict = scenario.verdict, case .ship(let recommendation) = verdict.outcome,
      let lead = recommendation.lead, let runnerUp = recommendation.runnerUp
    else { return scenario.scenario }
    let why = VerdictText.reason(scenario).map { "; \($0)" } ?? ""
    return
      "\(scenario.scenario), \(VerdictText.difference(lead, verdict.rule)) ahead of \(runnerUp)"
      + why
  }

  /// Returns several scenarios with the range of their margins.
  private static func several(_ scenarios: [ScenarioVerdict]) -> String {
    let leads = scenarios.compactMap { scenario -> String? in
      guard let verdict = scenario.verdict, case .ship(let recommendation) = verdict.outcome else {
        return nil
      }
      return recommendation.lead.map { VerdictText.difference($0, verdict.rule) }
    }
    let margin = leads.first.map { " (\($0)\(leads.count > 1 ? ", …" : ""))" } ?? ""
    let count = "\(scenarios.count) scenarios\(margin): "
    // As many names as fit in the narrowest line.
    let shown = scenarios.prefix(2).map(\.scenario).joined(separator: ", ")
    let more = scenarios.count - 2
    return count + shown + (more > 0 ? " + \(more)" : "")
  }
}
