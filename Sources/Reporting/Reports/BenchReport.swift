package import Analysis
package import ResultModel

/// What `bench` prints: the policies of every scenario, which to ship, what was measured in real
/// time, and the targets.
package struct BenchReport: Sendable {
  package var rows: [ResultRow]
  package var verdicts: [ScenarioVerdict]
  package var judgements: [TargetJudgement]
  /// What the targets were judged on, seed by seed.
  package var judged: [ResultRow]
  package var axes: [AxisEffect] = []
  /// The policies of one scenario on the real cache, as ``SessionTable`` shows them.
  package var measured: [ResultRow] = []
  /// The other circumstances that verdicts were not put to, since time was short.
  package var unasked = 0

  /// - Parameters:
  ///   - rows: one each: of several seeds the mean.
  ///   - verdicts: which policy to ship, scenario by scenario.
  ///   - targets: what is asked of the policies.
  ///   - judged: the rows on which the targets are judged, seed by seed.
  package init(
    rows: [ResultRow], verdicts: [ScenarioVerdict], targets: [Target] = [],
    judged: [ResultRow] = []
  ) {
    self.rows = rows
    self.verdicts = verdicts
    self.judged = judged
    judgements = TargetJudge(rows: judged).judge(targets)
  }

  /// The whole report.
  package func text(style: TextStyle) -> String {
    let comparisons = verdicts.map { Self.comparison($0, rows: rows, style: style) + "\n" }
    return comparisons.joined() + textAfterComparisons(style: style)
  }

  /// Fresh reads of few policies, before the whole comparison.
  package static func firstLook(
    at policies: [String], rows: [ResultRow], style: TextStyle
  ) -> String {
    section(
      "fresh reads, %: a first look, two seeds each; the whole comparison follows",
      FreshReadsTable.table(of: policies, rows: rows), style) + "\n"
  }

  /// What follows the tables of the single scenarios.
  private func textAfterComparisons(style: TextStyle) -> String {
    let simulated = [ship(style), axisChanges(style)]
    let measured = [policies(style), latencies(style), writes(style)]
    return
      (simulated + measured + stages(style) + alternatives(style) + [
        figures(style), targets(style),
      ])
      .compactMap { $0 }
      .joined(separator: "\n")
  }

  /// The table of one scenario, and its verdict.
  package static func comparison(
    _ verdict: ScenarioVerdict, rows: [ResultRow], style: TextStyle
  ) -> String {
    let elsewhere = VerdictText.elsewhere(verdict).map { "    \($0)\n" } ?? ""
    return section(verdict.scenario, PolicyTable.table(of: verdict, rows: rows), style)
      + "  → " + VerdictText.sentence(verdict) + "\n" + elsewhere
      + BestByCriterion.lines(of: verdict.scenario, rows).map { "    \($0)\n" }.joined()
  }

  private func ship(_ style: TextStyle) -> String? {
    guard !verdicts.isEmpty else { return nil }
    // Of one scenario the line below its table has said it all.
    let legend = PolicyTable.legend(of: rows) + VerdictText.legend(of: verdicts)
    guard verdicts.count > 1 else { return legend.map { $0 + "\n" }.joined() }
    return Self.section(
      "fresh reads, %", FreshReadsTable.table(of: Self.policiesOfAll, rows: rows), style) + "\n"
      + Self.section("which policy to ship", RecommendationTable.table(verdicts), style)
      + legend.map { "  \($0)\n" }.joined() + shortOfTime
  }

  private var shortOfTime: String {
    guard unasked > 0 else { return "" }
    return "  for \(unasked) other circumstances of these scenarios there was no time: "
      + "`tidemark simulate NAME --seeds auto` asks for all\n"
  }

  private func axisChanges(_ style: TextStyle) -> String? {
    guard !axes.isEmpty else { return nil }
    return Self.section("one axis changed at a time", AxisTable.table(axes), style)
      + "  \(AxisTable.legend)\n"
  }

  /// The policies that are set side by side over all scenarios.
  private static let policiesOfAll = ["lru", "refcount", "ttl", "spacedrive", "unbounded"]

  private func policies(_ style: TextStyle) -> String? {
    guard let scenario = measured.first?.scenario else { return nil }
    return Self.section(
      "policies in real time: \(scenario), on this machine", SessionTable.table(measured), style)
      + SessionTable.legend.map { "  \($0)\n" }.joined() + "  everything: latency.csv\n"
  }

  private func latencies(_ style: TextStyle) -> String? {
    let shown = Set(measured.map(\.scenario)).union([AlternativeTable.scenario])
    let rows = rows.filter { !shown.contains($0.scenario) && LatencyTable.shows($0) }
    guard !rows.isEmpty else { return nil }
    return Self.section(
      "the cache's own share of an event, on this machine", LatencyTable.table(rows), style)
  }

  private func writes(_ style: TextStyle) -> String? {
    let rows = rows.filter { [.writeToShown, .writeToSettled].contains($0.metric) }
    guard !rows.isEmpty else { return nil }
    return Self.section(
      "a user's own change, beside as many that wait, on this machine",
      DistributionTable.table(rows, showsScenario: false), style)
  }

  /// One section per way from a device to the screen.
  private func stages(_ style: TextStyle) -> [String?] {
    StageTable.classes(of: rows).map { name in
      Self.section(
        "from the device to the screen, \(name)", StageTable.table(of: name, rows: rows), style)
    }
  }

  /// One section per way in which events came.
  private func alternatives(_ style: TextStyle) -> [String?] {
    let rows = rows.filter { $0.scenario == AlternativeTable.scenario }
    return AlternativeTable.classes(of: rows).map { name in
      Self.section(
        "beside what would be used in its place: \(AlternativeReport.title(of: name))",
        AlternativeTable.table(of: name, rows: rows), style)
    }
  }

  private func figures(_ style: TextStyle) -> String? {
    let shown = Set(measured.map(\.scenario)).union([AlternativeTable.scenario])
    let rows = rows.measuredFigures.filter { !shown.contains($0.scenario) }
    guard !rows.isEmpty else { return nil }
    return Self.section(
      "memory and throughput on this machine", DistributionTable.table(rows, showsScenario: false),
      style)
  }

  private func targets(_ style: TextStyle) -> String? {
    guard !judgements.isEmpty else { return nil }
    return Self.section("targets", TargetTable.table(judgements, rows: judged), style)
      + "  measured is the worst seed of the policies named; by target and policy: "
      + Self.tally(judgements) + "\n"
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
