package import Metrics

/// Who competed in one scenario, who won, and who could not compete.
package struct ScenarioChoice: Hashable, Sendable {
  package let scenario: String
  /// The policies that competed, in the order of the rows; bounds are not among them.
  package let contenders: [Contender]
  /// `nil` where no policy has all figures.
  package let winner: Winner?
  /// Policies left out because a figure is missing.
  package let withoutFigures: [String]
  /// Who hit most, where nobody could compete.
  package let mostHits: MostHits?

  package init(
    scenario: String, contenders: [Contender], withoutFigures: [String], mostHits: MostHits? = nil
  ) {
    self.scenario = scenario
    self.mostHits = mostHits
    self.contenders = contenders
    winner = Winner(among: contenders)
    self.withoutFigures = withoutFigures
  }

  /// How far a contender's fresh hit ratio lies behind the highest of the contenders, 0 for the
  /// highest; `nil` for a policy that did not compete.
  package func deficit(of policy: String) -> Double? {
    guard let own = contenders.first(where: { $0.policy == policy }),
      let highest = contenders.map(\.freshHitRatio).max()
    else { return nil }
    return highest - own.freshHitRatio
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
        scenario: scenario, contenders: contenders, withoutFigures: withoutFigures,
        mostHits: contenders.isEmpty
          ? MostHits(among: policies, scenario: scenario, rows: own) : nil)
    }
  }
}
