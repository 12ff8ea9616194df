import ResultModel
import Text

/// The first screen: which policy to ship per scenario, how sure, why, and at what price.
extension ReportPage {
  /// More lines than this are no screen, and no answer.
  private static let mostLines = 150

  var answers: Node {
    guard !scenarios.isEmpty else {
      return .tag(
        "p", [.class("none")], "results.csv has no rows: run tidemark bench, and read its folder")
    }
    let shown = scenarios.prefix(Self.mostLines)
    var parts: [Node] = [lede, tiles, table(shown.indices)]
    if shown.count < scenarios.count {
      parts.append(
        .tag(
          "p", [.class("none")],
          "\(scenarios.count - shown.count) more scenarios follow below, in the order of results.csv."
        ))
    }
    return .tag("div", [.class("first")], parts)
  }

  // MARK: In one sentence

  private var lede: Node {
    guard results.verdicts != nil else {
      return .tag(
        "p", [.class("lede none")],
        "Which policy to ship is not in this folder: verdicts.json is not there. "
          + "Run tidemark bench, which writes it.")
    }
    if scenarios.count == 1 {
      return .tag("p", [.class("lede")], "\(scenarios[0].scenario): \(scenarios[0].sentence).")
    }
    let single = scenarios.count { $0.outcome == .ship }
    let several = scenarios.count { $0.outcome == .equivalent }
    let open = scenarios.count - single - several
    var text = [
      "Of \(scenarios.count) scenarios, \(single) \(single == 1 ? "has" : "have") one best policy, "
        + "\(several) \(several == 1 ? "has" : "have") several that are equally good, and "
        + (open == 0 ? "none is undecided." : "\(open) \(open == 1 ? "is" : "are") undecided.")
    ]
    if let most = mostAcceptable {
      text.append(
        most.count == scenarios.count
          ? "\(most.policy) may be shipped in all of them."
          : "No policy is right everywhere: \(most.policy) may be shipped in \(most.count)"
            + (most.next.map { ", \($0.policy) in \($0.count)." } ?? "."))
    }
    let targets = results.verdicts?.targets ?? []
    let missed = targets.count { $0.outcome == .missed }
    let link = Node.tag(
      "a", [.href(.anchor(Anchor("targets")))],
      "\(targets.count { $0.outcome == .met }) targets are met, \(missed) missed")
    return .tag(
      "p", [.class("lede")],
      [.text(text.joined(separator: " "))]
        + (targets.isEmpty ? [] : [.text(" "), link, .text(".")]))
  }

  private struct Acceptable {
    var policy: String
    var count: Int
    var next: (policy: String, count: Int)?
  }

  /// The two policies that may be shipped in the most scenarios.
  private var mostAcceptable: Acceptable? {
    let named = scenarios.flatMap { scenario -> [String] in
      scenario.outcome == .ship || scenario.outcome == .equivalent
        ? (scenario.choice + scenario.candidates).distinct { $0 } : []
    }
    let counts = named.distinct { $0 }.map { policy in
      (policy: policy, count: named.count { $0 == policy })
    }
    let ranked = counts.enumerated().sorted {
      let (first, second) = ($0.element.count, $1.element.count)
      return first != second ? first > second : $0.offset < $1.offset
    }.map(\.element)
    guard scenarios.count > 1, let first = ranked.first else { return nil }
    return Acceptable(
      policy: first.policy, count: first.count, next: ranked.dropFirst().first)
  }

  // MARK: How sure, what was missed

  private var tiles: Node {
    guard let verdicts = results.verdicts else { return .nothing }
    return .tag(
      "div", [.class("tiles")], [sureness(verdicts), doubts(verdicts), targetTile(verdicts)])
  }

  private func tile(_ title: String, _ content: [Node]) -> Node {
    .tag("div", [.class("tile")], [.tag("h2", [], title)] + content)
  }

  private func sureness(_ verdicts: SavedVerdicts) -> Node {
    let seeds = scenarios.map(\.seeds).filter { $0 > 0 }
    let (fewest, most) = (seeds.min() ?? 0, seeds.max() ?? 0)
    let range = fewest == most ? "\(most)" : "\(fewest) to \(most)"
    guard most > 1 else {
      return tile(
        "How sure",
        [
          .tag(
            "p", [.class("doubt")],
            "One seed each: an anecdote, no verdict. Run tidemark bench without --quick and --seeds 1."
          )
        ])
    }
    return tile(
      "How sure",
      [
        .tag(
          "p", [],
          "\(range) seeds each, the same for every policy. ± is a 95 % interval; a scenario's choice is "
            + "wrong in 5 cases of 100 at most."),
        .tag("a", [.href(.anchor(Anchor("notes")))], "What the words mean"),
      ])
  }

  private func doubts(_ verdicts: SavedVerdicts) -> Node {
    let all = scenarios.flatMap(\.alternatives)
    let other = scenarios.filter { scenario in
      scenario.alternatives.contains { $0.answer == .disagrees }
    }
    guard !all.isEmpty else {
      return tile(
        "Does it hold elsewhere?",
        [
          .tag(
            "p", [.class("doubt")],
            "Not asked in this run: run tidemark bench without --exact-only and --quick.")
        ])
    }
    let agreeing = all.count { $0.answer == .agrees }
    let circumstances = all.map(\.label).distinct { $0 }.prefix(8).joined(separator: ", ")
    var content: [Node] = [
      .tag(
        "p", [],
        "Asked again \(circumstances): the same in "
          + "\(agreeing) of \(all.count) answers.")
    ]
    if !other.isEmpty {
      content.append(
        .tag(
          "p", [],
          "In \(other.count) of \(scenarios.count) scenarios it is another policy somewhere: see “but”."
        ))
    }
    if verdicts.unasked > 0 {
      content.append(
        .tag("p", [.class("soft")], "For \(verdicts.unasked) more there was no time."))
    }
    return tile("Does it hold elsewhere?", content)
  }

  private func targetTile(_ verdicts: SavedVerdicts) -> Node {
    let targets = verdicts.targets
    guard !targets.isEmpty else {
      return tile("Targets", [.tag("p", [], "These scenarios set none.")])
    }
    let missed = targets.filter { $0.outcome == .missed }
    let open = targets.filter { $0.outcome == .inconclusive || $0.outcome == .missing }
    let kinds = missed.distinct { [$0.scenario, $0.name] }
    var items: [Node] = kinds.prefix(3).map { kind in
      let own = missed.filter { [$0.scenario, $0.name] == kind }
      let single = own[0].policy.isEmpty ? "" : "\(own[0].policy) "
      let found = own.count == 1 ? single + own[0].measured : "\(own.count) policies"
      return .tag(
        "li", [],
        [
          .tag("b", [.class("bad")], "missed "),
          .text("\(kind[0]): \(kind[1]) \(own[0].limit): \(found)"),
        ])
    }
    if kinds.count > 3 { items.append(.tag("li", [], "\(kinds.count - 3) more missed")) }
    if !open.isEmpty {
      items.append(
        .tag(
          "li", [],
          [
            .tag("b", [.class("doubt")], "\(open.count) without a verdict"),
            .text(": \(open.map(\.name).distinct { $0 }.prefix(3).joined(separator: ", "))"),
          ]))
    }
    let met = targets.count { $0.outcome == .met }
    return tile(
      "Targets: \(met) met, \(missed.count) missed",
      (items.isEmpty ? [.tag("p", [], "All that were set are met.")] : [.tag("ul", [], items)])
        + [.tag("a", [.href(.anchor(Anchor("targets")))], "All targets")])
  }

  // MARK: The table

  private func table(_ shown: Range<Int>) -> Node {
    func head(_ text: String, _ note: String = "", isNumber: Bool = false) -> Node {
      .tag(
        "th", isNumber ? [.class("n"), Attribute("scope", "col")] : [Attribute("scope", "col")],
        [.text(text)] + (note.isEmpty ? [] : [.tag("small", [], note)]))
    }
    return .tag(
      "table", [.class("ans")],
      [
        .tag(
          "thead", [],
          [
            .tag(
              "tr", [],
              [
                head("Scenario"), head("Ship"),
                head("Fresh hits, 0 to 100 %", "bar: no cache to no limits; ticks: others"),
                head("By how much, and why"), head("Wait", isNumber: true),
                head("Received", isNumber: true), head("Memory", isNumber: true),
                head("Stale", isNumber: true), head("Evidence"),
              ])
          ]),
        .tag("tbody", [], shown.map(line)),
      ])
  }

  private func line(_ index: Int) -> Node {
    let scenario = scenarios[index]
    // The price of who is named, or while none is, of who leads.
    let first =
      scenario.choice.first ?? (scenario.outcome == .notDecided ? scenario.candidates.first : nil)
    func number(_ name: String, _ value: Double?, _ unit: MetricUnit) -> Node {
      .tag(
        "td", [.class("n"), Attribute("aria-label", name)],
        HumanNumber.text(value.map { .real($0) }, unit: unit))
    }
    func value(_ metric: Metric, _ statistic: Statistic = .value) -> Double? {
      first.flatMap { figures.value(scenario.scenario, $0, metric, statistic) }
    }
    return .tag(
      "tr", [],
      [
        .tag("td", [], [anchorLink(index, scenario.scenario)]),
        .tag("td", [.class("ship")], ship(scenario)),
        .tag("td", [.class("at")], [strip(scenario)]),
        .tag("td", [.class("why")], why(scenario)),
        number("wait", value(.readWait, .mean), .nanoseconds),
        number("received", first.flatMap { figures.received(scenario.scenario, $0) }, .bytes),
        number("memory", value(.predictedBytes, .peak), .bytes),
        number("stale", value(.staleReadShare), .ratio),
        .tag(
          "td", [.class("go")],
          [
            anchorLink(index, "pictures"), .text(" · "),
            anchorLink(index, "rows", part: "rows"), .text(" · "),
            anchorLink(index, "command", part: "made"),
          ]),
      ])
  }

  private func anchorLink(_ index: Int, _ text: String, part: StaticString? = nil) -> Node {
    .tag("a", [.href(.anchor(anchor(of: index, part)))], text)
  }

  func anchor(of index: Int, _ part: StaticString? = nil) -> Anchor {
    Anchor(scenario: scenarios[index].scenario, number: index, part: part)
  }

  /// A policy's name behind its mark.
  func named(_ policy: String, isStrong: Bool = false) -> Node {
    let look = looks[policy]
    let mark = Node.tag(
      "svg",
      [.class("dot"), Attribute("viewBox", "-5 -5 10 10"), Attribute("aria-hidden", "true")],
      [Draw.marker(look, x: 0, y: 0)])
    return .group([mark, isStrong ? .tag("b", [], policy) : .text(policy)])
  }

  private func ship(_ scenario: SavedScenario) -> [Node] {
    switch scenario.outcome {
    case .ship, .equivalent:
      let others = scenario.candidates.filter { !scenario.choice.contains($0) }
      // Where nothing tells several apart, each of them may be named.
      let first = scenario.choice.prefix(1).map { named($0, isStrong: true) }
      let equal = Array(scenario.choice.dropFirst()) + others
      return first
        + (equal.isEmpty ? [] : [.tag("small", [], "as good: " + equal.joined(separator: ", "))])
    case .notDecided:
      return [
        .tag("b", [.class("doubt")], "not decided"),
        .tag("small", [], "in front: " + scenario.candidates.joined(separator: ", ")),
      ]
    case .noneFeasible:
      return [
        .tag("b", [.class("bad")], "none keeps the limits"),
        .tag("small", [], "nearest: " + scenario.candidates.joined(separator: ", ")),
      ]
    case .oneSeed:
      return [
        .tag("b", [.class("doubt")], "no verdict"),
        .tag("small", [], "best of one seed: " + scenario.candidates.joined(separator: ", ")),
      ]
    case .fewUsers:
      return [
        .tag("b", [.class("doubt")], "no verdict"),
        .tag("small", [], "best of few users: " + scenario.candidates.joined(separator: ", ")),
      ]
    case .cannotSay:
      return [
        .tag("b", [.class("doubt")], "the recording cannot say"),
        .tag("small", [], "between: " + scenario.candidates.joined(separator: ", ")),
      ]
    case .nobody: return [.text("–")]
    }
  }

  private func strip(_ scenario: SavedScenario) -> Node {
    let name = scenario.scenario
    let competing = scenario.standings.map(\.policy)
    guard let policy = scenario.choice.first ?? scenario.candidates.first ?? competing.first,
      let row = figures.row(name, policy, .freshHitRatio), let value = row.value?.asDouble
    else { return .text("–") }
    let bounds = figures.policies(of: name).filter { looks[$0].isBound }.compactMap {
      figures.value(name, $0, .freshHitRatio)
    }
    let others = competing.filter { $0 != policy }.compactMap {
      figures.value(name, $0, .freshHitRatio)
    }
    let text = row.confidenceInterval.map {
      HumanNumber.interval(value, ($0.upperBound - $0.lowerBound) / 2, unit: .ratio)
    }
    let label = "\(text ?? HumanNumber.percent(value)) fresh"
    let possible = bounds.min().flatMap { low in bounds.max().map { low...$0 } }
    let strip = IntervalStrip(
      look: looks[policy], value: value, interval: row.confidenceInterval, possible: possible,
      others: others,
      description: "\(policy): \(label)"
        + (possible.map {
          ", between \(HumanNumber.percent($0.lowerBound)) and \(HumanNumber.percent($0.upperBound))"
        } ?? ""))
    return .group([strip.node, .tag("small", [], label)])
  }

  private func why(_ scenario: SavedScenario) -> [Node] {
    let seeds = "\(scenario.seeds) \(scenario.seeds == 1 ? "seed" : "seeds")"
    var parts: [Node] = []
    switch scenario.outcome {
    case .ship:
      if let lead = scenario.lead, let runnerUp = scenario.runnerUp {
        let width = lead.text(unit: scenario.unit)
        parts.append(.tag("b", [], "\(width) before \(runnerUp)"))
        parts.append(.text(" (\(seeds))" + (scenario.reason.map { "; \($0)" } ?? "")))
      } else {
        parts.append(.text(scenario.sentence))
      }
    case .equivalent:
      let equal = scenario.candidates.count
      parts.append(.tag("b", [], "\(equal) policies within \(scenario.zone)"))
      parts.append(
        .text(" (\(seeds))" + (scenario.reason.map { "; \($0)" } ?? "; nothing tells them apart")))
    default: parts.append(.text(scenario.sentence))
    }
    let other = scenario.alternatives.filter { $0.answer == .disagrees }
    if !other.isEmpty {
      parts.append(
        .tag(
          "small", [.class("but doubt")],
          "but " + other.map { "\($0.label): \($0.verdict)" }.joined(separator: "; ")))
    }
    return parts
  }
}
