import ResultModel

/// A folder of results in a few tables of text: which policy to ship, at what price, and what was missed.
package struct ReportText: Sendable {
  private let results: SavedResults
  private let figures: SavedFigures

  package init(_ results: SavedResults) {
    self.results = results
    figures = SavedFigures(results.rows)
  }

  /// For a terminal.
  package func text(style: TextStyle) -> String {
    sections.map { section in
      style.paint(section.title, .strong) + "\n" + section.table.terminal(style: style, indent: 2)
        + section.note.map { "  \($0)\n" }.joined()
    }.joined(separator: "\n")
  }

  /// For GitHub.
  package func markdown() -> String {
    sections.map { section in
      "## \(section.title)\n\n" + section.table.markdown()
        + section.note.map { "\n\($0)\n" }.joined()
    }.joined(separator: "\n")
  }

  private struct Section {
    var title: String
    var table: TextTable
    var note: [String] = []
  }

  private var sections: [Section] {
    [ship] + [missed].compactMap(\.self)
  }

  private var ship: Section {
    guard let verdicts = results.verdicts else {
      return Section(
        title: "Fresh reads, %",
        table: FreshReadsTable.table(of: results.rows.distinct(\.policy), rows: freshRows),
        note: [
          "which policy to ship is not in \(results.folder): verdicts.json is not there; run "
            + "tidemark bench"
        ])
    }
    var table = TextTable(
      columns: [
        TextTable.Column("scenario"), TextTable.Column("ship"), TextTable.Column("fresh", .right),
        TextTable.Column("by"), TextTable.Column("wait", .right),
        TextTable.Column("received", .right), TextTable.Column("memory", .right),
        TextTable.Column("stale", .right), TextTable.Column("seeds", .right),
        TextTable.Column("but"),
      ])
    let all = verdicts.scenarios
    for scenario in all.filter({ !$0.isDecided }) + all.filter(\.isDecided) {
      table.append(cells(scenario))
    }
    return Section(
      title: "Which policy to ship: \(results.folder)", table: table.withoutEmptyColumns(),
      note: [
        "wait, received, memory and stale are the price of the policy named first; "
          + "± is a 95 % interval over seeds."
      ])
  }

  private var freshRows: [ResultRow] {
    results.scenarios.flatMap { scenario in
      figures.policies(of: scenario).compactMap { figures.row(scenario, $0, .freshHitRatio) }
    }
  }

  private func cells(_ scenario: SavedScenario) -> [TextTable.Cell] {
    let first = scenario.choice.first
    func text(_ metric: Metric, _ statistic: Statistic = .value) -> String {
      guard let first else { return "" }
      return HumanNumber.text(
        figures.row(scenario.scenario, first, metric, statistic)?.value, unit: metric.unit)
    }
    let fresh = first.flatMap { figures.row(scenario.scenario, $0, .freshHitRatio) }
    let interval = fresh?.confidenceInterval
    let freshText = fresh?.value.map { value in
      interval.map {
        HumanNumber.interval(
          value.asDouble, ($0.upperBound - $0.lowerBound) / 2, unit: .ratio)
      } ?? HumanNumber.percent(value.asDouble)
    }
    let equal = scenario.candidates.filter { !scenario.choice.contains($0) }
    let other = scenario.alternatives.filter { $0.answer == .disagrees }
    let received = first.flatMap { figures.received(scenario.scenario, $0) }
    return [
      TextTable.Cell(scenario.scenario),
      TextTable.Cell(
        first == nil ? scenario.word : (scenario.choice + equal).joined(separator: " = "),
        tone: first == nil ? .doubtful : .strong),
      TextTable.Cell(freshText ?? ""), TextTable.Cell(by(scenario)),
      TextTable.Cell(text(.readWait, .mean)),
      TextTable.Cell(received.map { HumanNumber.bytes($0) } ?? ""),
      TextTable.Cell(text(.predictedBytes, .peak)), TextTable.Cell(text(.staleReadShare)),
      TextTable.Cell(scenario.seeds > 0 ? String(scenario.seeds) : ""),
      TextTable.Cell(other.map { "\($0.label): \($0.verdict)" }.joined(separator: "; ")),
    ]
  }

  private func by(_ scenario: SavedScenario) -> String {
    switch scenario.outcome {
    case .ship:
      guard let lead = scenario.lead, let runnerUp = scenario.runnerUp else { return "" }
      return "\(lead.text(unit: scenario.unit)) before \(runnerUp)"
    case .equivalent: return "equivalent within \(scenario.zone)"
    default: return scenario.candidates.joined(separator: ", ")
    }
  }

  private var missed: Section? {
    let open = (results.verdicts?.targets ?? []).filter { $0.outcome != .met }
    let met = (results.verdicts?.targets ?? []).count - open.count
    guard !open.isEmpty else { return nil }
    var table = TextTable(
      columns: [
        TextTable.Column("target"), TextTable.Column("of"), TextTable.Column("limit", .right),
        TextTable.Column("measured", .right), TextTable.Column("verdict"),
      ])
    for target in open {
      table.append([
        TextTable.Cell(target.name), TextTable.Cell(target.owner), TextTable.Cell(target.limit),
        TextTable.Cell(target.measured),
        TextTable.Cell(
          [target.outcome == .missing ? "no data" : target.outcome.rawValue, target.reason]
            .compactMap(\.self).joined(separator: ": "),
          tone: target.outcome == .missed ? .bad : .doubtful),
      ])
    }
    return Section(
      title: "Targets that are not met", table: table, note: ["\(met) others are met."])
  }
}

extension SavedScenario {
  /// Whether it says whom to ship.
  var isDecided: Bool { outcome == .ship || outcome == .equivalent }

  /// What is said where none is named.
  var word: String {
    switch outcome {
    case .ship, .equivalent: choice.joined(separator: " = ")
    case .notDecided: "not decided"
    case .noneFeasible: "none keeps the limits"
    case .oneSeed: "no verdict: one seed"
    case .nobody: "no verdict"
    case .mostHits: "no verdict: most hits"
    }
  }
}

extension SavedInterval {
  /// A difference in its unit: of ratios in points.
  func text(unit: String) -> String {
    guard let unit = MetricUnit(rawValue: unit), unit != .ratio else {
      return "\(HumanNumber.points(mean)) ± \(HumanNumber.points(halfWidth)) points"
    }
    return HumanNumber.interval(mean, halfWidth, unit: unit)
  }
}
