import Analysis
import ResultModel
import Text

/// The section of one scenario: its verdict, its charts and the underlying rows.
extension ReportPage {
  /// The range of the axis of differences, which covers most of them in any scenario.
  private var reach: Double {
    let sizes = scenarios.flatMap(\.effects).compactMap { $0.difference?.mean.magnitude }.sorted()
    guard !sizes.isEmpty else { return 0.01 }
    let most = sizes[min(sizes.count - 1, sizes.count * 8 / 10)]
    return [0.01, 0.02, 0.05, 0.1, 0.2, 0.4].first { $0 >= most } ?? 1
  }

  func pictures(of index: Int) -> ScenarioPictures {
    let name = scenarios[index].scenario
    return ScenarioPictures(
      scenario: scenarios[index], figures: figures,
      levels: (results.levels ?? []).filter { $0.row.scenario == name },
      memory: (results.memory ?? []).filter { $0.scenario == name },
      timeline: (results.timeline ?? []).filter { $0.scenario == name }, looks: looks,
      reach: reach, commands: anchor(of: index, "made"))
  }

  func section(of index: Int, _ detail: Detail) -> Node {
    let scenario = scenarios[index]
    let pictures = pictures(of: index)
    var parts: [Node] = [.tag("h2", [], scenario.scenario)]
    if !scenario.summary.isEmpty { parts.append(.tag("p", [.class("soft")], scenario.summary)) }
    // Of one scenario alone it stands at the head of the page.
    if scenarios.count > 1 {
      parts.append(.tag("p", [], [.tag("b", [], "→ "), .text(scenario.sentence)]))
    }
    if let limits = scenario.limits {
      parts.append(
        .tag(
          "p", [],
          [
            .text(
              "Limits: \(limits), as in the scenario; no other entity or query limits were tried."
                + withoutLimits(scenario))
          ]
            + (scenario.limitsCommand.map { command in
              [.text(" To search for better limits: "), .tag("code", [], command)]
            } ?? [])))
    }
    if let knee = scenario.knee { parts.append(.tag("p", [], "Memory: \(knee).")) }
    parts += alternatives(scenario)
    if scenario.recordedUsers != nil { parts.append(.tag("p", [.class("soft")], Self.recorded)) }
    let all = pictures.all
    let drawn = all.filter { $0.drawing != nil }
    let shown =
      switch detail {
      case .all: drawn
      case .main: drawn.filter(\.isMain)
      case .none: [Picture]()
      }
    if !shown.isEmpty { parts.append(.tag("div", [.class("pics")], shown.map(\.node))) }
    let left = drawn.filter { picture in !shown.contains { $0.title == picture.title } }
    if !left.isEmpty { parts.append(leftOut(left, of: scenario)) }
    let missing = all.filter { $0.drawing == nil }
    if !missing.isEmpty { parts.append(Self.missing(missing)) }
    parts.append(table(of: scenario, pictures, index))
    if detail != .none { parts.append(queries(of: scenario)) }
    if detail == .all { parts.append(differingReads(of: scenario)) }
    parts.append(made(scenario, index))
    return .tag("section", [.id(anchor(of: index))], parts)
  }

  /// Returns what the policy without limits reaches, and at which memory; empty if it did not run.
  private func withoutLimits(_ scenario: SavedScenario) -> String {
    let policy = "unbounded"
    guard
      let hits = figures.value(scenario.scenario, policy, .freshHitRatio, .value),
      let memory = figures.value(scenario.scenario, policy, .predictedBytes, .peak)
    else { return "" }
    return " Without limits, \(policy) has \(HumanNumber.percent(hits)) fresh hits with "
      + "\(HumanNumber.bytes(memory))."
  }

  private static let recorded =
    "A recording is not prolonged, and its users do not wait for answers. The effects of single choices need "
    + "\(ScenarioPictures.usersOfEffects) or more users, with every hit known to be fresh or stale."

  /// Returns a note about omitted charts, and the command that draws them.
  private func leftOut(_ pictures: [Picture], of scenario: SavedScenario) -> Node {
    let command =
      ShellWord.line([
        "tidemark", "report", results.folder, "--scenarios", scenario.scenario, "--output",
        "page.html",
      ])
    return .tag(
      "p", [.class("none")],
      [
        .text(
          "Left out, to keep this page below \(HumanNumber.bytes(Double(Self.sizeLimit))): "
            + pictures.map(\.title).joined(separator: "; ") + ". Drawn by "),
        .tag("code", [], command),
      ])
  }

  /// Returns a note about what was not measured, and the command that measures it.
  static func missing(_ pictures: [Picture]) -> Node {
    .tag(
      "p", [.class("none")],
      [.text("Not measured in this run: ")]
        + pictures.enumerated().flatMap { index, picture -> [Node] in
          let title = index == 0 ? picture.title : "; \(picture.title)"
          let reason = picture.missing ?? ""
          return reason.hasPrefix("tidemark ")
            ? [.text("\(title) (run "), .tag("code", [], reason), .text(")")]
            : [.text("\(title) (\(reason))")]
        })
  }

  /// Returns the robustness checks.
  private func alternatives(_ scenario: SavedScenario) -> [Node] {
    guard !scenario.alternatives.isEmpty else { return [] }
    let order: [SavedAlternative.Answer] = [.disagrees, .tied, .open, .agrees]
    let items = order.flatMap { answer in
      scenario.alternatives.filter { $0.answer == answer }.map { alternative -> Node in
        let (sign, tone) =
          switch alternative.answer {
          case .agrees: ("✓ ", "good")
          case .disagrees: ("≠ ", "bad")
          case .tied: ("≈ ", "doubt")
          case .open: ("? ", "doubt")
          }
        let detail = alternative.answer == .agrees ? "" : ": \(alternative.verdict)"
        return .tag(
          "li", [],
          [.tag("b", [.class(tone)], sign), .text(alternative.label + detail)])
      }
    }
    return [
      .tag("p", [.class("soft")], "Rechecked under other conditions:"),
      .tag("ul", [.class("alts")], items),
    ]
  }

  private struct Column: Sendable {
    var title: String
    var text: @Sendable (SavedFigures, String, String) -> String

    init(
      _ title: String, _ text: @escaping @Sendable (SavedFigures, String, String) -> String
    ) {
      self.title = title
      self.text = text
    }

    init(
      _ title: String, _ metric: Metric, _ statistic: Statistic = .value
    ) {
      self.init(title) { figures, scenario, policy in
        HumanNumber.text(
          figures.row(scenario, policy, metric, statistic)?.value, unit: metric.unit)
      }
    }
  }

  private static let columns = [
    Column("fresh hits") { figures, scenario, policy in
      guard let row = figures.row(scenario, policy, .freshHitRatio), let value = row.value
      else { return "–" }
      return row.confidenceInterval.map {
        HumanNumber.interval(
          value.asDouble, ($0.upperBound - $0.lowerBound) / 2, unit: .ratio)
      } ?? HumanNumber.percent(value.asDouble)
    },
    Column("stale", .staleReadShare),
    Column("wait, mean", .readWait, .mean), Column("p50", .readWait, .p50),
    Column("p95", .readWait, .p95), Column("p99", .readWait, .p99),
    Column("fetched", .bytesFetched), Column("of these catch-up", .bytesOfCatchUp),
    Column("pushed", .bytesPushed),
    Column("memory", .predictedBytes, .peak), Column("reads", .reads),
    Column("n") { figures, scenario, policy in
      String(figures.row(scenario, policy, .reads)?.sampleCount ?? 1)
    },
    Column("over") { figures, scenario, policy in
      let value = figures.value(scenario, policy, .overLimit, .peak) ?? 0
      return value > Constraint.withinLimits.limit
        ? HumanNumber.fixed(value, decimals: 2) + " ×" : ""
    },
  ]

  private func table(
    of scenario: SavedScenario, _ pictures: ScenarioPictures, _ index: Int
  ) -> Node {
    let head =
      [Node.tag("th", [], "policy")] + Self.columns.map { .tag("th", [], $0.title) }
    let lines = pictures.policies.map { policy -> Node in
      .tag(
        "tr", scenario.choice.contains(policy) ? [.class("best")] : [],
        [.tag("td", [.class(looks[policy].ink)], policy)]
          + Self.columns.map { .tag("td", [], $0.text(figures, scenario.scenario, policy)) })
    }
    return .tag(
      "details", [],
      [
        .tag("summary", [], "The rows: every policy of \(scenario.scenario), \(pictures.sample)"),
        // Inside, so that following a link to it opens the fold.
        .tag(
          "div", [.id(anchor(of: index, "rows")), .class("wide")],
          [.table([.class("nums")], head: head, rows: lines)]),
        .tag(
          "p", [.class("src")],
          [
            Self.link("results.csv"),
            .text(
              ". p50 to p99: of the wait. over: peak use divided by the limit. reads: behind each share, per "
                + "\(scenario.replicate ?? "seed"). n: \(scenario.replicate ?? "seed")s."
                + difference(scenario)),
          ]),
      ])
  }

  /// Returns why the figures of a policy differ from those of the verdict; empty if they do not.
  private func difference(_ scenario: SavedScenario) -> String {
    guard case .several(let count) = figures.seeds(of: scenario.scenario), scenario.seeds > count
    else { return "" }
    return
      " These are means of the first \(scenario.text(of: count)), which every policy ran; the verdict went on "
      + "to \(scenario.count), so its figures differ."
  }

  /// Returns the outcomes of each query's reads: a fold for each.
  private func queries(of scenario: SavedScenario) -> Node {
    let name = scenario.scenario
    let classes = figures.classes(of: name)
    let all = figures.policies(of: name)
    let wanted: [String] =
      Array(scenario.choice.prefix(1)) + [scenario.runnerUp].compactMap(\.self)
      + scenario.candidates + ["lru"]
    let policies = Array(wanted.distinct(\.self).filter(all.contains).prefix(3))
    guard classes.count > 1, !policies.isEmpty else { return .nothing }
    let folds = classes.map { query in
      let reads = figures.value(name, policies[0], .reads, .value, query) ?? 0
      let kept = ScenarioPictures.outcomes.filter { outcome in
        policies.contains { (figures.value(name, $0, outcome.metric, .value, query) ?? 0) > 0 }
      }
      let lines = policies.map { policy -> Node in
        let own = figures.value(name, policy, .reads, .value, query) ?? 0
        func share(_ metric: Metric) -> String {
          guard own > 0, let count = figures.value(name, policy, metric, .value, query) else {
            return "–"
          }
          return HumanNumber.percent(count / own)
        }
        return Node.row([policy, share(.hitFresh)] + kept.map { share($0.metric) })
      }
      return Node.tag(
        "details", [],
        [
          .tag("summary", [], "\(query): \(HumanNumber.count(reads.rounded())) reads"),
          .tag(
            "div", [.class("wide")],
            [
              .table(
                [.class("nums")], head: Node.heads(["policy", "fresh hits"] + kept.map(\.name)),
                rows: lines)
            ]),
        ])
    }
    return .tag(
      "details", [], [.tag("summary", [], "What became of the reads of each query")] + folds)
  }

  private static func ending(of read: ReadLine) -> String {
    let known = [(metric: Metric.hitFresh, name: "fresh hit")] + ScenarioPictures.outcomes
    return ReadComparisonText.ending(
      of: read, named: known.first { $0.metric == read.outcome }?.name)
  }

  /// The reads that ended differently under two policies in the first seed, a fold for each query.
  private func differingReads(of scenario: SavedScenario) -> Node {
    let reads = (results.reads ?? []).filter { $0.scenario == scenario.scenario }
    let names = reads.distinct(\.policy)
    guard names.count == 2,
      let comparison = try? ReadComparison(
        reads.filter { $0.policy == names[0] }, reads.filter { $0.policy == names[1] }),
      !comparison.differing.isEmpty
    else { return .nothing }
    let sample =
      scenario.recordedUsers == nil ? "in seed \(reads[0].seed)" : "of the first recording"
    func query(_ read: ReadLine) -> Substring { read.read.prefix { $0 != "(" && $0 != " " } }
    let folds = comparison.differing.distinct { query($0.first) }.map { name in
      let own = comparison.differing.filter { query($0.first) == name }
      let lines = own.prefix(Self.mostReads).map { pair in
        Node.row([
          HumanNumber.duration(nanoseconds: Double(pair.first.at)), pair.first.client,
          pair.first.read, Self.ending(of: pair.first), Self.ending(of: pair.second),
        ])
      }
      let shown = own.count > lines.count ? ", the first \(lines.count) shown" : ""
      return Node.tag(
        "details", [],
        [
          .tag("summary", [], "\(name): \(HumanNumber.count(Double(own.count))) reads\(shown)"),
          .wideTable(
            [.class("nums")], head: Node.heads(["at", "client", "read", names[0], names[1]]),
            rows: lines),
        ])
    }
    return .tag(
      "details", [],
      [
        .tag(
          "summary", [],
          "Reads that ended differently under \(names[0]) and \(names[1]): "
            + "\(HumanNumber.count(Double(comparison.differing.count))) of "
            + "\(HumanNumber.count(Double(comparison.inBoth))) \(sample)")
      ] + folds + [
        .tag("p", [.class("src")], [Self.link("reads.csv"), .text(" has all of them.")])
      ])
  }

  /// So many reads of a query are listed.
  private static let mostReads = 20

  private func made(_ scenario: SavedScenario, _ index: Int) -> Node {
    .tag(
      "p", [.id(anchor(of: index, "made")), .class("src")],
      [
        .text("The verdict again: "), .tag("code", [], scenario.verdictCommand),
        .text(" · the rows of results.csv, and one for each seed: "),
        .tag("code", [], scenario.rowsCommand),
        .text(" · the rows of the other files: "),
        .tag("code", [], benchCommand(of: scenario)),
        .text(
          ". In each file: scenario = \(scenario.scenario); class = all "
            + "for figures of reads (shares, waits), total for other figures."),
      ])
  }

  /// The command that made a scenario's files; with one seed if it was one.
  private func benchCommand(of scenario: SavedScenario) -> String {
    guard scenario.seeds == 1, scenario.recordedUsers == nil else { return scenario.benchCommand }
    let isQuick = results.run?.command.contains("--quick") ?? false
    return scenario.benchCommand + (isQuick ? " --quick" : " --seeds 1")
  }
}
