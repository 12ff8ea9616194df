import ResultModel

/// Every target, missed ones first.
extension ReportPage {
  var targets: Node {
    let all = results.verdicts?.targets ?? []
    let order: [SavedTarget.Outcome] = [.missed, .inconclusive, .missing, .met]
    let lines = order.flatMap { outcome in Self.lines(all.filter { $0.outcome == outcome }) }
    var parts: [Node] = [.tag("h2", [], "Targets")]
    if lines.isEmpty {
      parts.append(
        .tag("p", [.class("none")], "No target was judged in this run: run tidemark bench."))
    } else {
      parts.append(
        .tag(
          "p", [.class("soft")],
          "Measured is the worst seed of the policies named. Inconclusive: the machine's own noise takes "
            + "more than half of the limit."))
      let open = lines.filter { !$0.isMet }
      if !open.isEmpty { parts.append(Self.table(open)) }
      let met = lines.filter(\.isMet)
      if !met.isEmpty {
        parts.append(
          .tag(
            "details", [],
            [.tag("summary", [], "\(met.count) targets that are met"), Self.table(met)]))
      }
    }
    return .tag("section", [.id(Anchor("targets"))], parts)
  }

  private struct Line {
    var target: SavedTarget
    var policies: [String]
    var isMet: Bool { target.outcome == .met }
  }

  /// One line where policies came to the same.
  private static func lines(_ targets: [SavedTarget]) -> [Line] {
    struct Kind: Hashable {
      var scenario: String
      var name: String
      var limit: String
      var reason: String?
      /// Who missed, by how much, is told for each.
      var measured: String?
    }
    func kind(_ target: SavedTarget) -> Kind {
      Kind(
        scenario: target.scenario, name: target.name, limit: target.limit, reason: target.reason,
        measured: target.outcome == .missed ? target.measured : nil)
    }
    return targets.distinct(kind).compactMap { wanted in
      let own = targets.filter { kind($0) == wanted }
      return own.first.map { Line(target: $0, policies: own.map(\.policy).filter { !$0.isEmpty }) }
    }
  }

  private static func table(_ lines: [Line]) -> Node {
    let titles = ["target", "scenario", "policies", "limit", "measured", "verdict"]
    return .tag(
      "div", [.class("wide")],
      [
        .tag(
          "table", [],
          [
            .tag(
              "thead", [],
              [.tag("tr", [], titles.map { .tag("th", [Attribute("scope", "col")], $0) })]),
            .tag("tbody", [], lines.map(row)),
          ])
      ])
  }

  private static func row(_ line: Line) -> Node {
    let target = line.target
    let (word, tone) =
      switch target.outcome {
      case .met: ("met", "good")
      case .missed: ("missed", "bad")
      case .inconclusive: ("inconclusive", "doubt")
      case .missing: ("no data", "doubt")
      }
    let named = line.policies.prefix(3).joined(separator: ", ")
    let more = line.policies.count - 3
    return .tag(
      "tr", [],
      [
        .tag("td", [], target.name), .tag("td", [], target.scenario),
        .tag("td", [], more > 0 ? "\(named), \(more) more" : named),
        .tag("td", [], target.limit), .tag("td", [], target.measured),
        .tag(
          "td", [],
          [
            .tag("b", [.class(tone)], word),
            .text(target.reason.map { ": \($0)" } ?? ""),
          ]),
      ])
  }
}
