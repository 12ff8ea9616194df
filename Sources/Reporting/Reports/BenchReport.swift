package import Analysis
package import Metrics

/// What `bench` prints: the policies of every scenario, which to ship, what was measured in real
/// time, and the targets.
package struct BenchReport: Sendable {
  package var rows: [ResultRow]
  package var choices: [ScenarioChoice]
  package var judgements: [TargetJudgement]

  package init(rows: [ResultRow], choices: [ScenarioChoice], judgements: [TargetJudgement]) {
    self.rows = rows
    self.choices = choices
    self.judgements = judgements
  }

  package func text(style: TextStyle) -> String {
    var sections = choices.map { choice in
      let winner = choice.winner.flatMap { $0.decidedBy == .none ? nil : $0.winner.policy }
      let table = PolicyTable.table(of: choice.scenario, rows: rows, winner: winner)
      return style.paint(choice.scenario, .strong) + "\n"
        + table.terminal(style: style, indent: 2)
        + "  → " + WinnerLine.text(choice) + "\n"
    }
    if !choices.isEmpty { sections.append("To ship: \(Winner.rule).\n") }
    sections += [
      measured("latency on this machine") { $0.unit == .nanoseconds },
      measured("memory and throughput on this machine") { $0.unit != .nanoseconds },
    ].compactMap { $0 }.map {
      style.paint($0.title, .strong) + "\n"
        + $0.table.terminal(style: style, indent: 2)
    }
    if !judgements.isEmpty {
      sections.append(
        style.paint("targets", .strong) + "\n"
          + TargetTable.table(judgements).terminal(style: style, indent: 2)
          + "  " + tally + "\n")
    }
    return sections.joined(separator: "\n")
  }

  /// The rows that are not exact and fit; `nil` where there are none.
  private func measured(
    _ title: String, where fits: (MetricDescriptor) -> Bool
  ) -> (title: String, table: TextTable)? {
    let own = rows.filter { row in
      MetricRegistry.named(row.metric).map { $0.noiseClass != .exact && fits($0) } ?? false
    }
    return own.isEmpty ? nil : (title, DistributionTable.table(own))
  }

  private var tally: String {
    let met = judgements.count { $0.outcome == .met }
    let missed = judgements.count { $0.outcome == .missed }
    let doubtful = judgements.count { $0.leavesDoubt }
    return "\(met) met, \(missed) missed, \(doubtful) without a verdict"
  }
}
