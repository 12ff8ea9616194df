package import Analysis

/// Which policy to ship for a scenario, in one sentence with what decided it.
package enum WinnerLine {
  package static func text(_ choice: ScenarioChoice) -> String {
    guard let winner = choice.winner else {
      return choice.mostHits.map(sentence) ?? "no winner: no policy has all figures"
    }
    let left = choice.withoutFigures
    let absent = left.isEmpty ? "" : " (figures missing: \(left.joined(separator: ", ")))"
    return sentence(winner) + absent
  }

  /// Of a run without the server's states, such as an app's log.
  private static func sentence(_ hits: MostHits) -> String {
    let shown = hits.policies.prefix(3)
    let others = hits.policies.count - shown.count
    let names = shown.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    let alike = hits.policies.count > 1 ? " alike" : ""
    var ahead = ""
    if let runnerUp = hits.runnerUp, let margin = hits.margin {
      ahead = ", \(HumanNumber.points(margin)) points ahead of \(runnerUp)"
    }
    return "most hits: \(names)\(alike), \(HumanNumber.percent(hits.hitRatio))\(ahead); "
      + "no fresh_hit_ratio, so whether they were fresh is not known, and no winner is named"
  }

  private static func sentence(_ result: Winner) -> String {
    let winner = result.winner
    let hits = HumanNumber.percent(winner.freshHitRatio)
    guard let other = result.runnerUp else {
      return "ship \(winner.policy): \(hits) fresh hits; nothing to compare it with"
    }
    let tie = "ties with \(other.policy) in fresh hits (\(hits), \(percent(other)))"
    switch result.decidedBy {
    case .freshHitRatio:
      let points = HumanNumber.points(winner.freshHitRatio - other.freshHitRatio)
      return "ship \(winner.policy): \(hits) fresh hits, \(points) points ahead of \(other.policy)"
    case .bytesFetched:
      return "ship \(winner.policy): \(tie), fetches \(HumanNumber.bytes(winner.bytesFetched)) "
        + "against \(HumanNumber.bytes(other.bytesFetched))"
    case .peakResidentWeight:
      return "ship \(winner.policy): \(tie) and in bytes fetched, peaks at "
        + "\(HumanNumber.bytes(winner.peakResidentWeight)) against "
        + HumanNumber.bytes(other.peakResidentWeight)
    case .none:
      return "no winner: this scenario does not tell \(winner.policy) from \(other.policy)"
    }
  }

  private static func percent(_ contender: Contender) -> String {
    HumanNumber.percent(contender.freshHitRatio)
  }
}
