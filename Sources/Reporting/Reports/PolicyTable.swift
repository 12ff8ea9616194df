package import Analysis
import CacheModel
package import ResultModel

/// The policies of one scenario, one line each, with their main figures.
package enum PolicyTable {
  /// Returns the meaning of each column of some tables.
  static func legend(of tables: [TextTable], isOpen: Bool) -> [(name: String, meaning: String)] {
    meanings.filter { name, _ in
      tables.contains { $0.columns.contains { $0.title == name } }
    }
      + (tables.contains { $0.rows.contains { $0.contains { $0.text.contains("±") } } }
        ? [("±", "half the width of the 95 % interval of the mean")] : [])
      + (isOpen
        ? [
          (
            "a–b %",
            "the recording does not say of every hit whether it was fresh: a if none of those was, b if all were"
          )
        ] : [])
  }

  private static let meanings: [(name: String, meaning: String)] = [
    ("hits", "reads served without waiting, fresh or stale"),
    ("fresh hits", "reads served without waiting and equal to the server's state"),
    ("stale", "reads served without waiting, but outdated"),
    ("failed", "reads with nothing to serve and no reachable server"),
    ("wait", "mean time from a read to its rows: 0 for a hit; failed reads are left out"),
    ("fetched", "bytes of responses to all clients, per run"),
    ("catch-up", "of these: replays and refetches after gaps"),
    ("pushed", "bytes of events"),
    ("memory", "largest predicted peak of the whole cache in any seed"),
    ("disk", "of the client that took most, at its peak"),
    ("offline", "reads without a link that were served, fresh or stale"),
    ("over", "peak use divided by the limit; above 1 such a policy cannot win"),
  ]

  /// Returns the table of a scenario's policies: the competing ones, best first, then the bounds.
  package static func table(of verdict: ScenarioVerdict, rows: [ResultRow]) -> TextTable {
    let own = rows.filter { $0.scenario == verdict.scenario && !$0.policy.isEmpty }
    // In an app's recording hits are known, but the freshness of some may not be.
    let showsHits =
      verdict.recorded != nil || own.contains { $0.policy == ResultRow.recordedPolicy }
    var table = TextTable(
      columns: [TextTable.Column("policy")]
        + ((showsHits ? ["hits"] : [])
        + [
          "fresh hits", "stale", "failed", "wait", "fetched", "catch-up", "pushed", "memory",
          "disk",
          "offline", "over",
        ]).map {
          TextTable.Column($0, .right)
        })
    let chosen = verdict.verdict?.choice ?? []
    // A column that distinguishes designs; policies of one design need no wider table.
    let isOfDesigns = own.contains { $0.metric == .memoryHits }
    let isCaughtUp = own.contains {
      $0.metric == .bytesOfCatchUp && ($0.value?.asDouble ?? 0) > 0
    }
    let pushedToAll = pushedToAll(own)
    for policy in order(of: verdict, own) {
      let figures = PolicyFigures(of: policy, own)
      if Preset.namesOfBounds.contains(policy), table.headings.isEmpty {
        table.append(heading: "Bounds, not candidates")
      }
      table.append(
        ([policy] + (showsHits ? [figures.ratio(.hitRatio)] : []) + [
          figures.ratio(.freshHitRatio), figures.share(.staleReadShare),
          figures.failed, figures.text(.readWait, .mean, in: .all), figures.text(.bytesFetched),
          isCaughtUp ? figures.text(.bytesOfCatchUp) : "",
          pushedToAll == nil ? figures.text(.bytesPushed) : "",
          figures.text(.predictedBytes, .peak),
          isOfDesigns ? figures.text(.diskBytes, .peak) : "",
          isOfDesigns ? figures.text(.offlineHitRatio, in: .all) : "",
          // Bounds are expected to exceed limits.
          Preset.namesOfBounds.contains(policy)
            ? "" : figures.overLimit(of: verdict.exceededLimits[policy]),
        ]).map { TextTable.Cell($0, tone: chosen.contains(policy) ? .strong : .plain) })
    }
    return table.withoutEmptyColumns()
  }

  /// Returns the bytes of events, if they are the same for several policies and need no column.
  static func pushedToAll(_ rows: [ResultRow]) -> String? {
    let texts = rows.distinct(\.policy).map { PolicyFigures(of: $0, rows).text(.bytesPushed) }
    guard let first = texts.first, texts.count > 1, texts.allSatisfy({ $0 == first }) else {
      return nil
    }
    return first
  }

  /// Returns the competing policies by the objective's mean, best first; then those over a limit, then the
  /// others, the bounds last.
  private static func order(of verdict: ScenarioVerdict, _ rows: [ResultRow]) -> [String] {
    let all = rows.distinct(\.policy)
    let policies =
      all.filter { !Preset.namesOfBounds.contains($0) }
      + all.filter { Preset.namesOfBounds.contains($0) }
    guard let rule = verdict.verdict?.rule, let standings = verdict.verdict?.standings else {
      return policies
    }
    let competing = standings.map(\.contender).filter { policies.contains($0) }
    func value(_ policy: String) -> Double {
      let own = rows.filter { $0.policy == policy }
      let value = rule.objective.value(in: own)
      return value.map { rule.direction == .maximise ? $0 : -$0 } ?? -.infinity
    }
    let best = competing.map { ($0, value($0)) }.enumerated().sorted {
      $0.element.1 != $1.element.1 ? $0.element.1 > $1.element.1 : $0.offset < $1.offset
    }.map(\.element.0)
    let broke = standings.filter { $0.fate == .infeasible }.map(\.contender)
    return best.filter { !broke.contains($0) } + best.filter(broke.contains)
      + policies.filter { !competing.contains($0) }
  }
}

/// The figures of one policy in one scenario, for people.
struct PolicyFigures {
  private let rows: [ResultRow]

  init(of policy: String, _ rows: [ResultRow]) {
    self.rows = rows.filter { $0.policy == policy }
  }

  private func row(
    _ metric: Metric, _ statistic: Statistic, in class: ResultClass
  ) -> ResultRow? {
    rows.first {
      $0.metric == metric && $0.statistic == statistic && $0.class == `class`
    }
  }

  func value(
    _ metric: Metric, _ statistic: Statistic = .value, in class: ResultClass = .total
  ) -> Double? {
    row(metric, statistic, in: `class`)?.value?.asDouble
  }

  func text(
    _ metric: Metric, _ statistic: Statistic = .value, in class: ResultClass = .total
  ) -> String {
    HumanNumber.text(
      row(metric, statistic, in: `class`)?.value,
      unit: metric.unit)
  }

  /// Returns a ratio of all reads, with ± for a mean over seeds.
  func ratio(_ metric: Metric) -> String {
    guard let row = row(metric, .value, in: .all), let value = row.value?.asDouble else {
      return share(metric)
    }
    guard let interval = row.confidenceInterval else { return HumanNumber.percent(value) }
    return HumanNumber.interval(
      value, (interval.upperBound - interval.lowerBound) / 2, unit: .ratio)
  }

  /// Returns a share of all reads; its bounds if a recording leaves it partly open.
  func share(_ metric: Metric) -> String {
    guard let low = row(metric, .lower, in: .all)?.value?.asDouble,
      let high = row(metric, .upper, in: .all)?.value?.asDouble
    else { return text(metric, in: .all) }
    return HumanNumber.range(low, high)
  }

  /// Whether the share of failed reads does not round to zero.
  ///
  /// This includes bounds: one that caches nothing may fail when no other policy does.
  var hasFailed: Bool { (failedShare ?? 0) >= 0.000_5 }

  /// The share of reads without a cached result or a reachable server; empty if it would be 0.0 %.
  var failed: String { hasFailed ? failedShare.map { HumanNumber.percent($0) } ?? "" : "" }

  private var failedShare: Double? {
    guard let reads = row(.reads, .value, in: .all)?.value?.asDouble, reads > 0 else { return nil }
    return row(.failed, .value, in: .all)?.value.map { $0.asDouble / reads }
  }

  /// Returns the largest excess over a limit, and the limit.
  ///
  /// - Parameter limit: its unit; `nil`: unknown.
  /// - Returns: as in `2.40 × queries`; empty without an excess.
  func overLimit(of limit: String?) -> String {
    guard let value = row(.overLimit, .peak, in: .total)?.value?.asDouble,
      value > Constraint.withinLimits.limit
    else {
      return ""
    }
    return HumanNumber.fixed(value, decimals: 2) + " ×" + (limit.map { " \($0)" } ?? "")
  }
}
