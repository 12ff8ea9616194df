package import Metrics

/// The winner of one scenario, and who could not compete.
package struct ScenarioChoice: Hashable, Sendable {
  package let scenario: String
  /// `nil` where no policy has all figures.
  package let winner: Winner?
  /// Policies left out because a figure is missing.
  package let withoutFigures: [String]

  package init(scenario: String, winner: Winner?, withoutFigures: [String]) {
    self.scenario = scenario
    self.winner = winner
    self.withoutFigures = withoutFigures
  }

  /// Chooses for every scenario.
  ///
  /// - Parameters:
  ///   - rows: Rows of simulations; others are not looked at.
  ///   - bounds: Policies that show what is possible and do not compete.
  /// - Returns: One choice per scenario, in the order of the rows.
  package static func all(in rows: [ResultRow], bounds: Set<String>) -> [ScenarioChoice] {
    let reads = rows.filter { $0.metric == "reads" && $0.class == "total" }
    return reads.distinct(\.scenario).map { scenario in
      let policies = reads.filter { $0.scenario == scenario }.distinct(\.policy)
        .filter { !bounds.contains($0) }
      let own = rows.filter { $0.scenario == scenario }
      var contenders: [Contender] = []
      var withoutFigures: [String] = []
      for policy in policies {
        if let contender = Contender(policy: policy, scenario: scenario, rows: own) {
          contenders.append(contender)
        } else {
          withoutFigures.append(policy)
        }
      }
      return ScenarioChoice(
        scenario: scenario, winner: Winner(among: contenders), withoutFigures: withoutFigures)
    }
  }
}
