package import Analysis

/// Which policy to ship, one line per scenario: the answer that a comparison is made for.
package enum ShipTable {
  package static func table(_ choices: [ScenarioChoice]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("scenario"), TextTable.Column("ship"), TextTable.Column("fresh", .right),
      TextTable.Column("ahead of"), TextTable.Column("by"),
    ])
    for choice in choices {
      let answer = choice.mostHits.map(answer) ?? answer(choice.winner)
      let left = choice.withoutFigures
      let absent = left.isEmpty ? "" : "; figures missing: \(left.joined(separator: ", "))"
      table.append([
        TextTable.Cell(choice.scenario), TextTable.Cell(answer.ship, tone: .strong),
        TextTable.Cell(answer.fresh), TextTable.Cell(answer.other),
        TextTable.Cell(answer.reason + absent),
      ])
    }
    return table
  }

  /// Of a run without the server's states.
  private static func answer(
    _ hits: MostHits
  ) -> (ship: String, fresh: String, other: String, reason: String) {
    let best = hits.policies.first ?? ""
    let others = hits.policies.count > 1 ? " and \(hits.policies.count - 1) alike" : ""
    return ("–", "–", "–", "no fresh_hit_ratio; most hits: \(best)\(others)")
  }

  private static func answer(
    _ result: Winner?
  ) -> (ship: String, fresh: String, other: String, reason: String) {
    guard let result else { return ("–", "–", "–", "no policy has all figures") }
    let winner = result.winner
    let fresh = HumanNumber.percent(winner.freshHitRatio)
    guard let other = result.runnerUp else {
      return (winner.policy, fresh, "–", "nothing to compare it with")
    }
    let reason: String
    switch result.decidedBy {
    case .freshHitRatio:
      reason = "\(HumanNumber.points(winner.freshHitRatio - other.freshHitRatio)) points"
    case .bytesFetched:
      reason =
        "tie; fetches \(HumanNumber.bytes(winner.bytesFetched)), "
        + "not \(HumanNumber.bytes(other.bytesFetched))"
    case .peakResidentWeight:
      reason =
        "tie; peaks at \(HumanNumber.bytes(winner.peakResidentWeight)), "
        + "not \(HumanNumber.bytes(other.peakResidentWeight))"
    case .none:
      return ("–", fresh, "–", "does not tell \(winner.policy) from \(other.policy)")
    }
    return (winner.policy, fresh, other.policy, reason)
  }
}
