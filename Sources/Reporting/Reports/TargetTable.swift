package import Analysis
package import Metrics

/// Every target with its limit, what was measured, and what that means: missed ones first, then those
/// without a verdict, then those that are met.
package enum TargetTable {
  /// Policies named in a line before the rest is counted.
  private static let namedPolicies = 2

  /// The policy that shows what is possible at all.
  private static let bound = "unbounded"

  /// A target has one line where all policies that it binds came to the same, else one per policy.
  ///
  /// - Parameters:
  ///   - judgements: What to show.
  ///   - rows: The results; beside a missed target stands what the bound reached, so that a limit
  ///     that no policy can reach is told from one that this policy does not; beside a latency stands
  ///     the share of its samples that are within the limit.
  /// - Returns: The lines, most urgent first.
  package static func table(_ judgements: [TargetJudgement], rows: [ResultRow] = []) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("target"), TextTable.Column("scenario"), TextTable.Column("policy"),
      TextTable.Column("limit", .right), TextTable.Column("measured", .right),
      TextTable.Column("within", .right), TextTable.Column("verdict"),
    ])
    let lines = lines(judgements)
    let shares = SharesWithinTarget(rows: rows)
    for urgency in Urgency.allCases {
      for line in lines where line.urgency == urgency {
        table.append(
          line.cells(
            reachable: reached(line.target, in: rows),
            share: shares.text(of: line.target, policies: line.policies)))
      }
    }
    return table.withoutEmptyColumns()
  }

  /// What the bound reached in a target's metric, over several seeds the last.
  private static func reached(_ target: Target, in rows: [ResultRow]) -> MetricValue? {
    rows.last {
      $0.scenario == target.scenario && $0.policy == bound && $0.metric == target.metric
        && $0.class == target.class && $0.statistic == target.statistic
    }?.value
  }

  /// Judgements of one target with one outcome, in the order of the policies.
  private struct Line {
    let target: Target
    let policies: [String]
    let outcome: TargetJudgement.Outcome
    /// The worst over the policies.
    let measured: MetricValue?

    init(_ target: Target, _ judgements: [TargetJudgement], outcome: TargetJudgement.Outcome) {
      self.target = target
      policies = judgements.map(\.policy)
      self.outcome = outcome
      measured = judgements.compactMap(\.measured).reduce(nil as MetricValue?) { worst, value in
        guard let worst else { return value }
        return target.isWorse(value, than: worst) ? value : worst
      }
    }

    var urgency: Urgency {
      switch outcome {
      case .missed: .missed
      case .notDecidable, .missing: .undecided
      case .met: .met
      }
    }

    func cells(reachable: MetricValue?, share: String?) -> [TextTable.Cell] {
      // Counting a single one would be longer than its name.
      let named =
        policies.count == namedPolicies + 1 ? policies[...] : policies.prefix(namedPolicies)
      let rest = policies.count - named.count
      let names = named.joined(separator: ", ") + (rest > 0 ? ", +\(rest) more" : "")
      return [
        TextTable.Cell(target.name), TextTable.Cell(target.scenario), TextTable.Cell(names),
        TextTable.Cell(target.limitText), TextTable.Cell(target.measuredText(measured)),
        TextTable.Cell(share ?? ""),
        TextTable.Cell(verdict(reachable: reachable), tone: outcome.tone),
      ]
    }

    private func verdict(reachable: MetricValue?) -> String {
      guard urgency == .missed, let reachable else { return outcome.phrase }
      return "\(outcome.phrase); \(bound): \(target.measuredText(reachable))"
    }
  }

  /// The order of the lines.
  private enum Urgency: CaseIterable {
    case missed
    case undecided
    case met
  }

  private static func lines(_ judgements: [TargetJudgement]) -> [Line] {
    var seen: Set<Target> = []
    return judgements.map(\.target).filter { seen.insert($0).inserted }.flatMap { target in
      let own = judgements.filter { $0.target == target }
      if let first = own.first, own.allSatisfy({ $0.outcome == first.outcome }) {
        return [Line(target, own, outcome: first.outcome)]
      }
      return own.map { Line(target, [$0], outcome: $0.outcome) }
    }
  }
}
