package import Analysis
import CacheModel
package import ResultModel

/// All targets with limit, measured value, and result: missed ones first, then those without a verdict, then
/// those that are met.
package enum TargetTable {
  /// The maximum number of policies named in a line.
  private static let namedPolicies = 2

  /// The policy without limits, for reference.
  private static let bound = "unbounded"

  /// Returns the table: one line for a target if all of its policies have the same result, otherwise one per
  /// policy; the scenario, if there are several, is a heading, since a terminal has no room for its column.
  ///
  /// - Parameters:
  ///   - judgements: the judgements to show.
  ///   - rows: the results that were judged. A missed target shows the policy that met it, or the value of
  ///     the bound, so that a reader sees whether any policy can; a latency shows the share of its samples
  ///     within the limit.
  /// - Returns: the lines, most urgent first.
  package static func table(_ judgements: [TargetJudgement], rows: [ResultRow] = []) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("target"), TextTable.Column("policy"), TextTable.Column("limit", .right),
      TextTable.Column("measured", .right), TextTable.Column("within", .right),
      TextTable.Column("verdict"), TextTable.Column("note"),
    ])
    let isOfSeveral = judgements.distinct(\.target.scenario).count > 1
    var heading: String?
    let lines = lines(judgements)
    let judge = TargetJudge(rows: rows)
    let shares = SharesWithinTarget(rows: rows)
    for urgency in Urgency.allCases {
      for line in lines where line.urgency == urgency {
        if isOfSeveral, line.target.scenario != heading {
          heading = line.target.scenario
          table.append(heading: line.target.scenario)
        }
        table.append(
          line.cells(
            reach: line.urgency == .missed ? reach(of: line.target, in: rows, judge) : nil,
            share: shares.text(of: line.target, policies: line.policies)))
      }
    }
    return table.withoutEmptyColumns()
  }

  /// Returns the policy that meets a missed target, if any.
  private static func reach(
    of target: Target, in rows: [ResultRow], _ judge: TargetJudge
  ) -> String? {
    var everyone = target
    everyone.policies = rows.filter {
      $0.metric == target.metric && $0.class == target.class && $0.scenario == target.scenario
    }.distinct(\.policy)
    let judgements = judge.judge([everyone])
    guard let own = judgements.first(where: { $0.policy == bound }), let bound = own.measured else {
      return nil
    }
    guard target.isMet(by: bound.asDouble) else {
      return "compulsory misses: \(Self.bound) has \(own.measuredText)"
    }
    // The nearest: of those that meet it, the one with the smallest margin.
    let others = judgements.filter { !Preset.namesOfBounds.contains($0.policy) }
    let nearest = others.reduce(nil as TargetJudgement?) { nearest, other in
      guard let value = other.measured, target.isMet(by: value.asDouble) else { return nearest }
      guard let held = nearest?.measured else { return other }
      return target.isWorse(value, than: held) ? other : nearest
    }
    guard let nearest else { return "\(Self.bound): \(own.measuredText)" }
    return "\(nearest.policy) has \(nearest.measuredText)"
  }

  /// Judgements of one target with the same outcome, in the order of the policies.
  private struct Line {
    let target: Target
    let policies: [String]
    let outcome: TargetJudgement.Outcome
    /// The worst over the policies; `nil` if none has a value.
    let worst: TargetJudgement?

    init(_ target: Target, _ judgements: [TargetJudgement], outcome: TargetJudgement.Outcome) {
      self.target = target
      policies = judgements.map(\.policy)
      self.outcome = outcome
      worst = judgements.reduce(nil as TargetJudgement?) { worst, judgement in
        guard let value = judgement.measured else { return worst }
        guard let held = worst?.measured else { return judgement }
        return target.isWorse(value, than: held) ? judgement : worst
      }
    }

    var urgency: Urgency {
      switch outcome {
      case .missed: .missed
      case .inconclusive, .missing: .undecided
      case .met: .met
      }
    }

    func cells(reach: String?, share: String?) -> [TextTable.Cell] {
      // Naming a single one is shorter than counting it.
      let named =
        policies.count == namedPolicies + 1 ? policies[...] : policies.prefix(namedPolicies)
      let rest = policies.count - named.count
      let names = named.joined(separator: ", ") + (rest > 0 ? ", +\(rest) more" : "")
      return [
        TextTable.Cell(target.name), TextTable.Cell(names), TextTable.Cell(target.limitText),
        TextTable.Cell(worst?.measuredText ?? "–"), TextTable.Cell(share ?? ""),
        TextTable.Cell(outcome.shortPhrase, tone: outcome.tone),
        TextTable.Cell(outcome.reason ?? reach ?? ""),
      ]
    }
  }

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

/// The share of samples that met a target, for a column next to the percentiles.
struct SharesWithinTarget {
  /// The metric of the share for a latency with a target.
  private static let shares: [Metric: Metric] = [
    .updateToNotify: .updateToNotifyWithinTarget, .serverToUI: .serverToUIWithinTarget,
  ]
  private let rows: [ResultRow]

  init(rows: [ResultRow]) {
    let metrics = Set(Self.shares.values)
    self.rows = rows.filter { metrics.contains($0.metric) }
  }

  /// Returns the share of a class in the tables of stages, as in 99.97 %; `nil` if it was not measured.
  func text(_ metric: Metric, of name: ResultClass, isControl: Bool = false) -> String? {
    rows.first {
      $0.metric == metric && $0.scenario == StageTable.scenario && $0.class == name
        && $0.policy.isEmpty == isControl
    }?.value.map { Self.text($0.asDouble) }
  }

  /// Returns the share for a target; `nil` if it was not measured.
  func text(of target: Target, policies: [String]) -> String? {
    guard let metric = Self.shares[target.metric] else { return nil }
    return rows.filter {
      $0.metric == metric && $0.scenario == target.scenario && $0.class == target.class
        && policies.contains($0.policy)
    }
    .compactMap { $0.value?.asDouble }.min().map(Self.text)
  }

  /// Rounds down, so that one sample beyond the target remains visible.
  private static func text(_ share: Double) -> String {
    share < 1
      ? HumanNumber.fixed((share * 10_000).rounded(.down) / 100, decimals: 2) + " %" : "100 %"
  }
}
