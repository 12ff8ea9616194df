import ResultModel

/// The table of the first screen: a line for each scenario, with the cost of the recommended policy.
extension ReportPage {
  func answerTable(_ shown: Range<Int>) -> Node {
    func head(_ text: String, _ note: String = "", isNumber: Bool = false) -> Node {
      .tag(
        "th", isNumber ? [.class("n"), Attribute("scope", "col")] : [Attribute("scope", "col")],
        [.text(text)] + (note.isEmpty ? [] : [.tag("small", [], note)]))
    }
    var heads = [
      head("Scenario"), head("Ship"),
      head("Fresh hits, 0 to 100 %", "bar: no cache to no limits; ticks: others"),
    ]
    if hasReasons { heads.append(head("By how much, and why")) }
    heads += [
      head("Wait", isNumber: true), head("Received", "fetched and pushed", isNumber: true),
      head("Memory", isNumber: true), head("Stale", isNumber: true), head("Evidence"),
    ]
    return .table([.class("ans")], head: heads, rows: shown.map(line))
  }

  /// Of one scenario alone the sentence above the table has them.
  private var hasReasons: Bool { scenarios.count > 1 }

  private func line(_ index: Int) -> Node {
    let scenario = scenarios[index]
    // The cost of the recommended policy, or without one, of the leader or the nearest.
    let first = scenario.choice.first ?? scenario.candidates.first
    // A margin is over the runner-up, so costs are compared with it too; otherwise with the plainest policy.
    let runnerUp = scenario.outcome == .ship ? scenario.runnerUp : nil
    let reference = runnerUp ?? (first == "lru" ? nil : "lru")
    func number(
      _ name: String, _ unit: MetricUnit, _ value: (_ policy: String) -> Double?
    ) -> Node {
      let other = reference.flatMap(value).map { HumanNumber.text(.real($0), unit: unit) }
      // The name of a runner-up is in the line already, and too long for a column of numbers.
      let lines = other.map { reference == "lru" ? ["lru \($0)"] : ["runner-up", $0] } ?? []
      return .tag(
        "td", [.class("n"), Attribute("aria-label", name)],
        [.text(HumanNumber.text(first.flatMap(value).map { .real($0) }, unit: unit))]
          + lines.map { .tag("small", [], $0) })
    }
    func value(
      _ metric: Metric, _ statistic: Statistic = .value
    ) -> (_ policy: String) -> Double? {
      { figures.value(scenario.scenario, $0, metric, statistic) }
    }
    var cells: [Node] = [
      .tag(
        "td", [],
        [
          anchorLink(index, scenario.scenario),
          .tag("small", [], pictures(of: index).sample),
        ]),
      .tag("td", [.class("ship")], ship(scenario)),
      .tag("td", [.class("at")], [strip(scenario)]),
    ]
    if hasReasons { cells.append(.tag("td", [.class("why")], why(scenario))) }
    cells += [
      number("wait", .nanoseconds, value(.readWait, .mean)),
      number("received", .bytes) { figures.received(scenario.scenario, $0) },
      number("memory", .bytes, value(.predictedBytes, .peak)),
      number("stale", .ratio, value(.staleReadShare)),
      .tag(
        "td", [.class("go")],
        [
          anchorLink(index, "pictures"), .text(" · "),
          anchorLink(index, "rows", part: "rows"), .text(" · "),
          anchorLink(index, "command", part: "made"),
        ]),
    ]
    return .tag("tr", [], cells)
  }

  private func anchorLink(_ index: Int, _ text: String, part: StaticString? = nil) -> Node {
    .tag("a", [.href(.anchor(anchor(of: index, part)))], text)
  }

  func anchor(of index: Int, _ part: StaticString? = nil) -> Anchor {
    Anchor(scenario: scenarios[index].scenario, number: index, part: part)
  }

  /// Returns a policy's name after its mark.
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
      // If several are equal, any of them may be named.
      let first = scenario.choice.prefix(1).map { named($0, isStrong: true) }
      let equal = Array(scenario.choice.dropFirst()) + others
      return first
        + (equal.isEmpty ? [] : [.tag("small", [], "as good: " + equal.joined(separator: ", "))])
    case .notDecided:
      return [
        .tag("b", [.class("doubt")], "not decided"),
        .tag("small", [], "leading: " + scenario.candidates.joined(separator: ", ")),
      ]
    case .noneFeasible:
      return [
        .tag("b", [.class("bad")], "no policy keeps the limits"),
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
    let label = "\(text ?? HumanNumber.percent(value)) fresh hits"
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
    let seeds = scenario.count
    var parts: [Node] = []
    switch scenario.outcome {
    case .ship:
      if let lead = scenario.lead, let runnerUp = scenario.runnerUp {
        let width = lead.text(unit: scenario.unit)
        parts.append(.tag("b", [], "\(width) ahead of \(runnerUp)"))
        parts.append(.text(" (\(seeds))" + (scenario.reason.map { "; \($0)" } ?? "")))
      } else {
        parts.append(.text(scenario.sentence))
      }
    case .equivalent:
      let equal = scenario.candidates.count
      parts.append(.tag("b", [], "\(equal) policies within \(scenario.zone)"))
      parts.append(
        .text(
          " (\(seeds))" + (scenario.reason.map { "; \($0)" } ?? "; no measured cost separates them")
        ))
    default: parts.append(.text(scenario.sentence))
    }
    if scenario.alternatives.contains(where: { $0.answer != .agrees }) {
      parts.append(.tag("small", [.class("but doubt")], Self.checks(scenario.alternatives)))
    }
    return parts
  }

  /// Returns in how many checks the answer is the same, and which other answers there are: "same answer in 1 of 2
  /// checks; lru in 1 (by bytes)".
  static func checks(_ all: [SavedAlternative]) -> String {
    let other = all.filter { $0.answer == .disagrees || $0.answer == .tied }.map {
      ($0.label, $0.verdict)
    }
    let open = all.filter { $0.answer == .open }.map { ($0.label, "undecided") }
    let agreeing = all.count - other.count - open.count
    return
      (["same answer in \(agreeing) of \(all.count) checks"]
      + VerdictText.exceptions(other + open)).joined(separator: "; ")
  }
}
