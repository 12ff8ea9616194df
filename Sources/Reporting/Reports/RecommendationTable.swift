package import Analysis
import CacheModel
package import ResultModel

/// The recommended policies, one line per scenario.
///
/// Undecided scenarios come first.
package enum RecommendationTable {
  package static func table(_ verdicts: [ScenarioVerdict]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("scenario"), TextTable.Column("ship"), TextTable.Column("by"),
      TextTable.Column("seeds", .right), TextTable.Column("different winner when"),
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
      return (short, "\(width) ahead of \(runnerUp)")
    case .equivalent: return (short, "equivalent")
    case .notDecided(let indecision):
      return ("not decided", indecision.left.joined(separator: ", "))
    case .noneFeasible(let shortfall): return ("none feasible", "nearest: \(shortfall.nearest)")
    case .bestOfOneSeed(let best):
      return ("–", "best of one seed: \(best.joined(separator: " = "))")
    case .bestOfFewUsers: return ("–", short)
    case .nobody: return ("–", "figures missing")
    }
  }

  /// Returns the checks with a different winner.
  private static func doubts(_ scenario: ScenarioVerdict) -> String {
    (scenario.robustness?.disagreeing ?? [])
      .map { "\($0.label): \(VerdictText.short($0.verdict, $0.exceededLimits))" }.joined(
        separator: "; ")
  }
}

/// The best policy by several criteria, for caches of several designs: no single figure is enough.
enum BestByCriterion {
  private struct Criterion {
    var name: String
    var metric: Metric
    var statistic = Statistic.value
    var `class`: ResultClass = .total
    var isLowest = true
    /// A metric added to it.
    var and: Metric?
  }

  private static let criteria = [
    Criterion(name: "most fresh", metric: .freshHitRatio, class: .all, isLowest: false),
    Criterion(name: "least stale", metric: .staleReadShare, class: .all),
    Criterion(name: "least waiting", metric: .readWait, statistic: .mean, class: .all),
    Criterion(name: "fewest bytes", metric: .bytesFetched, and: .bytesPushed),
    Criterion(name: "least memory", metric: .predictedBytes, statistic: .peak),
    Criterion(name: "least disk", metric: .diskBytes, statistic: .peak),
    Criterion(
      name: "most without a link", metric: .offlineHitRatio, class: .all, isLowest: false),
    Criterion(name: "most after a start", metric: .coldStartHitRatio, isLowest: false),
  ]

  /// Returns a line for each criterion with figures; none if all caches are of one design.
  ///
  /// Bounds, and policies over a limit, are excluded.
  static func lines(of scenario: String, _ rows: [ResultRow]) -> [String] {
    let own = rows.filter { $0.scenario == scenario }
    guard own.contains(where: { $0.metric == .memoryHits }) else { return [] }
    let policies = own.distinct(\.policy).filter { policy in
      !policy.isEmpty && !Preset.namesOfBounds.contains(policy)
        && (value(of: policy, Criterion(name: "", metric: .overLimit, statistic: .peak), own) ?? 0)
          <= 1
    }
    return criteria.compactMap { criterion in
      let values = policies.compactMap { policy in
        value(of: policy, criterion, own).map { (policy: policy, value: $0) }
      }
      let all = values.map(\.value)
      guard let best = criterion.isLowest ? all.min() : all.max() else { return nil }
      let names = values.filter { $0.value == best }.map(\.policy).joined(separator: ", ")
      let figure = HumanNumber.text(.real(best), unit: criterion.metric.unit)
      return "\(criterion.name): \(names), \(figure)"
    }
  }

  private static func value(
    of policy: String, _ criterion: Criterion, _ rows: [ResultRow]
  ) -> Double? {
    func value(_ metric: Metric) -> Double? {
      rows.first {
        $0.policy == policy && $0.metric == metric && $0.statistic == criterion.statistic
          && $0.class == criterion.class
      }?.value?.asDouble
    }
    guard let first = value(criterion.metric) else { return nil }
    guard let other = criterion.and else { return first }
    return value(other).map { first + $0 }
  }
}

/// The share of fresh hits of some policies over all scenarios: one line per scenario.
package enum FreshReadsTable {
  package static func table(of policies: [String], rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("scenario")] + policies.map { TextTable.Column($0, .right) })
    let own = rows.filter { $0.class == "all" && $0.metric == .freshHitRatio }
    for scenario in own.distinct(\.scenario) {
      let cells = policies.map { policy -> String in
        let row = own.first { $0.scenario == scenario && $0.policy == policy }
        guard let row, let value = row.value?.asDouble else { return "–" }
        let half = row.confidenceInterval.map { ($0.upperBound - $0.lowerBound) / 2 }
        return HumanNumber.fixed(value * 100, decimals: 1)
          + (half.map { " ± " + HumanNumber.fixed($0 * 100, decimals: 1) } ?? "")
      }
      table.append([scenario] + cells)
    }
    return table
  }
}

/// The effect of each changed setting of `lru`: one line per scenario, in points of fresh hits.
package enum AxisTable {
  package static let title =
    "one setting of lru changed at a time: points of fresh hits gained, same seeds"

  package static func table(_ effects: [AxisEffect]) -> TextTable {
    let changes = effects.map(\.change).reduce(into: [String]()) { changes, change in
      if !changes.contains(change) { changes.append(change) }
    }
    var table = TextTable(
      columns: [TextTable.Column("scenario")] + changes.map { TextTable.Column($0, .right) })
    let scenarios = effects.map(\.scenario).reduce(into: [String]()) { scenarios, scenario in
      if scenarios.last != scenario { scenarios.append(scenario) }
    }
    for scenario in scenarios {
      let own = effects.filter { $0.scenario == scenario }
      table.append(
        [scenario]
          + changes.map { change in
            own.first { $0.change == change }?.difference.map(text) ?? "–"
          })
    }
    return table
  }

  private static func text(_ difference: PairedInterval) -> String {
    let sign = difference.mean > 0 ? "+" : ""
    return sign + HumanNumber.points(difference.mean) + " ± "
      + HumanNumber.points(difference.halfWidth)
  }
}
