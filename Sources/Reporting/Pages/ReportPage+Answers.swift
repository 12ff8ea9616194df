import ResultModel

/// The first screen: the recommended policy per scenario, with certainty, reason and cost.
extension ReportPage {
  /// The maximum number of lines of the first screen.
  private static let mostLines = 150
  private static let fewLines = 3

  var answers: Node {
    guard !scenarios.isEmpty else {
      return .tag(
        "p", [.class("none")], "results.csv has no rows: run tidemark bench, and read its folder")
    }
    let shown = scenarios.prefix(Self.mostLines)
    let table = [answerTable(shown.indices)] + differingSeeds(shown)
    // Of few scenarios the answers themselves fit on the first screen, also on a phone.
    var parts = [lede] + (shown.count <= Self.fewLines ? table + [tiles] : [tiles] + table)
    if shown.count < scenarios.count {
      parts.append(
        .tag(
          "p", [.class("none")],
          "\(scenarios.count - shown.count) more scenarios follow below, in the order of results.csv."
        ))
    }
    return .tag("div", [.class("first")], parts)
  }

  /// Returns why the figures beside a verdict may differ from its own; empty if none do.
  private func differingSeeds(_ shown: ArraySlice<SavedScenario>) -> [Node] {
    let differing = shown.contains { scenario in
      guard case .several(let count) = figures.seeds(of: scenario.scenario) else { return false }
      return scenario.seeds > count
    }
    return differing
      ? [
        .tag(
          "p", [.class("soft")],
          "Figures are means of the n seeds that every policy ran; a verdict that names more seeds went on with "
            + "the policies left.")
      ] : []
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
      open == scenarios.count
        ? "Of \(scenarios.count) scenarios none is decided."
        : "Of \(scenarios.count) scenarios, \(single) \(single == 1 ? "has" : "have") one best policy, "
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
      "Targets and policies: \(targets.count { $0.outcome == .met }) met, \(missed) missed")
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

  /// The two policies that are acceptable in the most scenarios.
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

  // MARK: Certainty

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
    let isOfUsers = scenarios.contains { $0.replicate == "user" }
    let isOfSeeds = scenarios.contains { $0.replicate != "user" && $0.seeds > 0 }
    let word = isOfUsers ? isOfSeeds ? "seeds or users" : "users" : "seeds"
    let range = (fewest == most ? "\(most)" : "\(fewest) to \(most)") + " \(word)"
    guard most > 1 else {
      return tile(
        "How sure",
        [
          .tag(
            "p", [.class("doubt")],
            isOfUsers
              ? "One recorded user: for others another policy may be best. Record 4 or more."
              : "One seed each is no verdict.\(without(["--quick", "--seeds"]))"
          )
        ])
    }
    return tile(
      "How sure",
      [
        .tag(
          "p", [],
          "\(range) each, the same for all policies. ± is the half-width of the 95 % confidence "
            + "interval, simultaneous for margins, so wider. \(equalWithin)If margins are close to normal, each "
            + "scenario's verdict is wrong with a probability of at most 5 %."),
        .tag("a", [.href(.anchor(Anchor("notes")))], "What the words mean"),
      ])
  }

  /// Up to which difference policies count as equally good, where all scenarios agree in that.
  private var equalWithin: String {
    let zones = scenarios.map(\.zone).filter { !$0.isEmpty }.distinct { $0 }
    return zones.count == 1 ? "Policies within \(zones[0]) count as equally good. " : ""
  }

  /// A sentence that names those of the options with which the folder was made; nothing without any.
  func without(_ options: [String]) -> String {
    let given = options.filter { option in
      results.run?.command.contains { $0 == option || $0.hasPrefix("\(option)=") } ?? false
    }
    return given.isEmpty
      ? "" : " Run tidemark bench without \(given.joined(separator: " and "))."
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
            "Not checked in this run.\(without(["--exact-only", "--quick", "--seeds"]))")
        ])
    }
    let agreeing = all.count { $0.answer == .agrees }
    let labels = all.map(\.label).distinct { $0 }.joined(separator: ", ")
    // Of several scenarios each line of the table has its own.
    let text =
      scenarios.count > 1
      ? "same answer in \(agreeing) of \(all.count) checks" : Self.checks(all)
    var content: [Node] = [
      .tag("p", [], "The \(text)."), .tag("p", [.class("soft")], "Checks: \(labels)."),
    ]
    if !other.isEmpty, scenarios.count > 1 {
      content.append(
        .tag(
          "p", [],
          "In \(other.count) of \(scenarios.count) scenarios another policy wins in some check; the table names it."
        ))
    }
    if verdicts.unasked > 0 {
      content.append(
        .tag(
          "p", [.class("soft")],
          "\(verdicts.unasked) more \(verdicts.unasked == 1 ? "check was" : "checks were") skipped for lack of time."
        ))
    }
    return tile("Does it hold elsewhere?", content)
  }

  private func targetTile(_ verdicts: SavedVerdicts) -> Node {
    let targets = verdicts.targets
    guard !targets.isEmpty else {
      return tile("Targets", [.tag("p", [], "These scenarios set none.")])
    }
    let missed = ownFirst(targets.filter { $0.outcome == .missed })
    let open = targets.filter { $0.outcome == .inconclusive || $0.outcome == .missing }
    let kinds = missed.distinct { [$0.scenario, $0.name] }
    var items: [Node] = kinds.prefix(3).map { kind in
      let own = missed.filter { [$0.scenario, $0.name] == kind }
      let single = own[0].policy.isEmpty ? "" : "\(own[0].policy) "
      let names = own.map(\.policy)
      let found =
        own.count == 1
        ? single + own[0].measured
        : own.count > 3 ? "\(own.count) policies" : names.joined(separator: ", ")
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
      (items.isEmpty ? [.tag("p", [], "All targets are met.")] : [.tag("ul", [], items)])
        + unjudged(targets) + [.tag("a", [.href(.anchor(Anchor("targets")))], "All targets")])
  }

  /// The recommended policies that no target of their scenario judges.
  private func unjudged(_ targets: [SavedTarget]) -> [Node] {
    let policies = scenarios.flatMap { scenario -> [String] in
      let judged = targets.filter { $0.scenario == scenario.scenario }.map(\.policy)
      guard !judged.isEmpty, !judged.contains("") else { return [] }
      let prefix = scenarios.count == 1 ? "" : "\(scenario.scenario)/"
      return scenario.choice.filter { !judged.contains($0) }.map { prefix + $0 }
    }
    guard !policies.isEmpty else { return [] }
    let names =
      policies.count > 3
      ? "\(policies.count) recommended policies" : policies.joined(separator: ", ")
    return [.tag("p", [.class("soft")], "Not judged, so not known to meet them: \(names).")]
  }
}
