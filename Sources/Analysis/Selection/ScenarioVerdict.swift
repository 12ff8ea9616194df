/// What a comparison of policies in one scenario came to.
package struct ScenarioVerdict: Hashable, Sendable {
  package let scenario: String
  /// `nil` where no policy competes.
  package let verdict: ShipVerdict?
  /// Why the winner has more fresh reads than the runner-up; `nil` where there are not both.
  package let margin: ReadMargin?
  /// Whether the verdict stands elsewhere; `nil` where that was not asked.
  package let robustness: Robustness?
  /// Who hit most, where what was fresh cannot be told.
  package let mostHits: MostHits?

  package init(
    scenario: String, verdict: ShipVerdict?, margin: ReadMargin? = nil,
    robustness: Robustness? = nil, mostHits: MostHits? = nil
  ) {
    self.scenario = scenario
    self.verdict = verdict
    self.margin = margin
    self.robustness = robustness
    self.mostHits = mostHits
  }
}
