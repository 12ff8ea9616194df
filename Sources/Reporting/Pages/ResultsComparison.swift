import Analysis
import ResultModel
import Text

/// Compares two folders of results: the recommended policies, and what changed, by seed if both have the rows
/// of single seeds.
package struct ResultsComparison: Sendable {
  private let before: SavedResults
  private let after: SavedResults
  private let figures: (before: SavedFigures, after: SavedFigures)

  package init(of before: SavedResults, with after: SavedResults) {
    self.before = before
    self.after = after
    figures = (SavedFigures(before.rows), SavedFigures(after.rows))
  }

  /// One policy of one scenario in both folders.
  private struct Change {
    var policy: String
    /// The share of fresh hits after, minus before, over the seeds that both have.
    var fresh: SavedInterval?
    /// The difference of the only common seed, or of the means, without an interval.
    var difference: Double?
    var seeds: Int
    var wait: (before: Double?, after: Double?)
    var received: (before: Double?, after: Double?)
    var memory: (before: Double?, after: Double?)
  }

  private enum State {
    case both([Change])
    case onlyBefore
    case onlyAfter
    case otherWorkload
  }

  private var scenarios: [(name: String, state: State)] {
    (before.scenarios + after.scenarios).distinct { $0 }.map { name in
      let (isBefore, isAfter) = (before.scenarios.contains(name), after.scenarios.contains(name))
      guard isAfter else { return (name, .onlyBefore) }
      guard isBefore else { return (name, .onlyAfter) }
      let workloads = [before, after].map { results in
        results.run?.scenarios.first { $0.scenario == name }?.workload
      }
      if let first = workloads[0], let second = workloads[1], first != second {
        return (name, .otherWorkload)
      }
      return (name, .both(changes(in: name)))
    }
  }

  private func changes(in scenario: String) -> [Change] {
    let policies = figures.before.policies(of: scenario).filter {
      figures.after.policies(of: scenario).contains($0)
    }
    let here = Self.fresh(before, scenario)
    let there = Self.fresh(after, scenario)
    let seeds = here.seeds.filter(there.seeds.contains)
    return policies.map { policy in
      let pairs = seeds.compactMap { seed -> (Double, Double)? in
        guard let first = here.values[Key(policy: policy, seed: seed)],
          let second = there.values[Key(policy: policy, seed: seed)]
        else { return nil }
        return (first, second)
      }
      func both(
        _ value: (SavedFigures) -> Double?
      ) -> (before: Double?, after: Double?) {
        (value(figures.before), value(figures.after))
      }
      let means = both { $0.value(scenario, policy, .freshHitRatio) }
      let ofMeans = means.before.flatMap { first in means.after.map { $0 - first } }
      return Change(
        policy: policy,
        fresh: MeanInterval(of: pairs.map(\.1), less: pairs.map(\.0)).map(SavedInterval.init),
        difference: pairs.count == 1 ? pairs[0].1 - pairs[0].0 : ofMeans, seeds: pairs.count,
        wait: both { $0.value(scenario, policy, .readWait, .mean) },
        received: both { $0.received(scenario, policy) },
        memory: both { $0.value(scenario, policy, .predictedBytes, .peak) })
    }
  }

  private struct Key: Hashable {
    var policy: String
    var seed: UInt64
  }

  /// The shares of fresh hits of single seeds, as far as a folder has them.
  private static func fresh(
    _ results: SavedResults, _ scenario: String
  ) -> (seeds: [UInt64], values: [Key: Double]) {
    var byKey: [Key: Double] = [:]
    let own = (results.seeds ?? results.rows).filter {
      $0.scenario == scenario && $0.metric == .freshHitRatio && $0.class == .all
    }
    for row in own {
      if let seed = row.seed { byKey[Key(policy: row.policy, seed: seed)] = row.value?.asDouble }
    }
    return (own.distinct(\.seed).compactMap { $0 }, byKey)
  }

  private func ships(_ results: SavedResults, _ scenario: String) -> String {
    guard let verdicts = results.verdicts else { return "no verdicts.json" }
    return verdicts.scenarios.first { $0.scenario == scenario }?.word ?? "–"
  }

  // MARK: Text

  package func text(style: TextStyle) -> String {
    style.paint(title, .strong) + "\n" + table.terminal(style: style, indent: 2) + "  \(legend)\n"
  }

  /// Returns the comparison for GitHub.
  package func markdown() -> String { "## \(title)\n\n\(table.markdown())\n\(legend)\n" }

  private var title: String { "\(after.folder) compared with \(before.folder)" }

  private var legend: String {
    "fresh: points of fresh hits, \(after.folder) minus \(before.folder), with the 95 % interval "
      + "over common seeds; of means if a folder has no seeds.csv, which `tidemark bench --per-seed` "
      + "writes. Wait, received, memory: of \(after.folder), with the change in brackets."
  }

  private var table: TextTable {
    var table = TextTable(
      columns: [
        TextTable.Column("scenario"), TextTable.Column("policy"),
        TextTable.Column("fresh", .right), TextTable.Column("wait", .right),
        TextTable.Column("received", .right), TextTable.Column("memory", .right),
        TextTable.Column("ship: before"), TextTable.Column("after"),
      ])
    for (name, state) in scenarios {
      switch state {
      case .both(let changes):
        for (index, change) in changes.enumerated() {
          let isFirst = index == 0
          table.append([
            TextTable.Cell(isFirst ? name : ""), TextTable.Cell(change.policy),
            TextTable.Cell(Self.fresh(change), tone: Self.tone(change)),
            TextTable.Cell(Self.figure(change.wait, .nanoseconds)),
            TextTable.Cell(Self.figure(change.received, .bytes)),
            TextTable.Cell(Self.figure(change.memory, .bytes)),
            TextTable.Cell(isFirst ? ships(before, name) : ""),
            TextTable.Cell(isFirst ? ships(after, name) : ""),
          ])
        }
      default:
        table.append([name, Self.word(state), "", "", "", "", "", ""])
      }
    }
    return table
  }

  private static func word(_ state: State) -> String {
    switch state {
    case .both: ""
    case .onlyBefore: "only in the first folder"
    case .onlyAfter: "only in the second folder"
    case .otherWorkload: "another workload there: not comparable"
    }
  }

  private static func tone(_ change: Change) -> Tone {
    guard let fresh = change.fresh else { return .doubtful }
    return fresh.low > 0 ? .good : fresh.high < 0 ? .bad : .plain
  }

  private static func fresh(_ change: Change) -> String {
    guard let fresh = change.fresh else {
      return change.difference.map {
        "\(signed($0)) (\(change.seeds == 1 ? "one seed" : "of means"))"
      } ?? "–"
    }
    return "\(signed(fresh.mean)) ± \(HumanNumber.points(fresh.halfWidth))"
  }

  private static func signed(_ points: Double) -> String {
    (points > 0 ? "+" : "") + HumanNumber.points(points)
  }

  private static func figure(
    _ pair: (before: Double?, after: Double?), _ unit: MetricUnit
  ) -> String {
    guard let after = pair.after else { return "–" }
    let text = HumanNumber.text(.real(after), unit: unit)
    guard let before = pair.before, before > 0 else { return text }
    guard before != after else { return "\(text) (=)" }
    let share = (after - before) / before
    return "\(text) (\(share > 0 ? "+" : "")\(HumanNumber.percent(share)))"
  }

  // MARK: HTML

  /// Returns the page, in UTF-8.
  package func html() -> [UInt8] {
    let all = scenarios
    let page = ReportPage.frame(
      title: title,
      body: [
        .tag(
          "header", [],
          [
            .tag("h1", [], title), .tag("p", [.class("soft")], facts),
          ]),
        .tag(
          "main", [],
          [
            .tag("p", [.class("lede")], lede(all)), shipTable(all),
          ] + all.enumerated().map { section($1.name, $1.state, $0) }),
        .tag(
          "footer", [],
          [
            .tag(
              "code", [],
              ShellWord.line(["tidemark", "report", before.folder, after.folder])
            ),
            .text(" makes this page again."),
          ]),
      ])
    return page.document()
  }

  private var facts: String {
    [before, after].map { results in
      [results.folder, results.run?.startedAt, results.run.map { "tidemark \($0.programVersion)" }]
        .compactMap(\.self).joined(separator: ", ")
    }.joined(separator: " · ")
  }

  private func lede(_ all: [(name: String, state: State)]) -> String {
    let pairs = all.compactMap { scenario -> [Change]? in
      if case .both(let changes) = scenario.state { changes } else { nil }
    }
    let known = pairs.joined().compactMap(\.fresh)
    let better = known.count { $0.low > 0 }
    let worse = known.count { $0.high < 0 }
    let names = all.filter { ships(before, $0.name) != ships(after, $0.name) }.count
    return
      "\(pairs.count) scenarios are in both. Of \(known.count) policies in them, \(better) serve "
      + "more fresh hits in \(after.folder) and \(worse) fewer, statistically significant; "
      + "\(known.count - better - worse) are the same or not significantly different. "
      + (names == 0
        ? "Both recommend the same policies."
        : "Another policy is recommended in \(names) \(names == 1 ? "scenario" : "scenarios").")
  }

  private func shipTable(_ all: [(name: String, state: State)]) -> Node {
    let lines = all.enumerated().map { index, scenario -> Node in
      let (first, second) = (ships(before, scenario.name), ships(after, scenario.name))
      return .tag(
        "tr", [],
        [
          .tag(
            "td", [],
            [
              .tag(
                "a", [.href(.anchor(Anchor(scenario: scenario.name, number: index)))],
                scenario.name)
            ]),
          .tag("td", [], first),
          .tag("td", [], [first == second ? .text(second) : .tag("b", [], second)]),
          .tag("td", [], Self.word(scenario.state)),
        ])
    }
    return .wideTable(
      head: Node.heads(["scenario", "ship: \(before.folder)", "ship: \(after.folder)", ""]),
      rows: lines)
  }

  private func section(_ name: String, _ state: State, _ index: Int) -> Node {
    var parts: [Node] = [.tag("h2", [], name)]
    if case .both(let changes) = state {
      parts.append(.tag("div", [.class("pics")], [forest(name, changes).node]))
      let lines = changes.map { change in
        Node.tag(
          "tr", [],
          [
            .tag("td", [], change.policy), .tag("td", [.class("n")], Self.fresh(change)),
            .tag("td", [.class("n")], Self.figure(change.wait, .nanoseconds)),
            .tag("td", [.class("n")], Self.figure(change.received, .bytes)),
            .tag("td", [.class("n")], Self.figure(change.memory, .bytes)),
          ])
      }
      parts.append(
        .tag(
          "details", [],
          [
            .tag("summary", [], "The figures of \(name)"),
            .tag("p", [.class("src")], legend),
            .wideTable(
              head: [.tag("th", [], "policy")]
                + ["fresh, points", "wait", "received", "memory"].map {
                  .tag("th", [.class("n")], $0)
                }, rows: lines),
          ]))
    } else {
      parts.append(.tag("p", [.class("none")], Self.word(state)))
    }
    return .tag("section", [.id(Anchor(scenario: name, number: index))], parts)
  }

  private func forest(_ name: String, _ changes: [Change]) -> Picture {
    let title = "Fresh reads in \(after.folder), less those in \(before.folder)"
    let known = changes.compactMap(\.fresh)
    guard let seeds = known.map(\.seeds).max() else {
      return .missing(title, "no two common seeds: run both with tidemark bench --per-seed")
    }
    let looks = PolicyLooks((before.rows + after.rows).distinct(\.policy))
    let most = known.map { max($0.low.magnitude, $0.high.magnitude) }.reduce(0, max)
    let chart = ForestChart(
      lines: changes.map {
        ForestChart.Line(name: $0.policy, ink: looks[$0.policy].ink, difference: $0.fresh)
      },
      reach: [0.01, 0.02, 0.05, 0.1, 0.2, 0.4].first { $0 >= most } ?? 1,
      axis: "points of fresh hits", sides: ("← fewer", "more →"),
      text: { HumanNumber.points($0) },
      description: changes.map { "\($0.policy): \(Self.fresh($0)) points" }.joined(separator: "; "))
    return Picture(
      title: title, drawing: chart.drawing,
      howToRead:
        "Each line is one policy, the same seeds on both sides. An interval that crosses zero "
        + "decides nothing.",
      source: Picture.Source(
        sample: "n = \(seeds) common seeds, paired; 95 % intervals", noiseClass: "exact",
        rows: "seeds.csv of both: scenario = \(name), class = all, metric = fresh_hit_ratio",
        command: .text(
          ShellWord.line(["tidemark", "report", before.folder, after.folder]))))
  }
}
