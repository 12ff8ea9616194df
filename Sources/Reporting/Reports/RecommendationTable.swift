package import Analysis

/// Which policy to ship, one line per scenario: the answer that a comparison is made for.
///
/// What is not decided comes first.
package enum RecommendationTable {
  package static func table(_ verdicts: [ScenarioVerdict]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("scenario"), TextTable.Column("ship"), TextTable.Column("by"),
      TextTable.Column("seeds", .right), TextTable.Column("but"),
    ])
    let urgent = verdicts.filter { !isDecided($0) }
    for verdict in urgent + verdicts.filter(isDecided) {
      let answer = answer(verdict)
      table.append([
        TextTable.Cell(verdict.scenario),
        TextTable.Cell(answer.ship, tone: isDecided(verdict) ? .strong : .doubtful),
        TextTable.Cell(answer.by),
        TextTable.Cell(verdict.verdict.map { String($0.seeds) } ?? ""),
        TextTable.Cell(doubts(verdict)),
      ])
    }
    return table.withoutEmptyColumns()
  }

  private static func isDecided(_ verdict: ScenarioVerdict) -> Bool {
    !(verdict.verdict?.choice ?? []).isEmpty
  }

  private static func answer(_ scenario: ScenarioVerdict) -> (ship: String, by: String) {
    guard let verdict = scenario.verdict else { return ("–", "") }
    let short = VerdictText.short(verdict)
    switch verdict.outcome {
    case .ship(let recommendation):
      guard let lead = recommendation.lead, let runnerUp = recommendation.runnerUp else {
        return (short, "")
      }
      let width = VerdictText.difference(lead, verdict.rule)
      return (short, "\(width) before \(runnerUp)")
    case .equivalent: return (short, "equivalent")
    case .notDecided(let indecision):
      return ("not decided", indecision.left.joined(separator: ", "))
    case .noneFeasible(let shortfall): return ("none feasible", "nearest: \(shortfall.nearest)")
    case .bestOfOneSeed(let best):
      return ("–", "best of one seed: \(best.joined(separator: " = "))")
    case .nobody: return ("–", "figures missing")
    }
  }

  /// Where the verdict is another one.
  private static func doubts(_ scenario: ScenarioVerdict) -> String {
    (scenario.robustness?.disagreeing ?? [])
      .map { "\($0.label): \(VerdictText.short($0.verdict))" }.joined(separator: "; ")
  }
}
