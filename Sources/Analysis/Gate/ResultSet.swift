package import Metrics

/// The rows of one run, with what makes two runs comparable.
package struct ResultSet: Sendable {
  /// The version of the row schema; `nil` where there was no row to carry one.
  package var schemaVersion: Int?
  package var scenarios: [ScenarioDigest]
  package var rows: [ResultRow]
  /// How many rows of other scenarios were left out.
  package var rowsOfOthers = 0

  package init(
    schemaVersion: Int? = ResultSchema.version, scenarios: [ScenarioDigest], rows: [ResultRow]
  ) {
    self.schemaVersion = schemaVersion
    self.scenarios = scenarios
    self.rows = rows
  }
}

/// A scenario by name, and a digest of everything in its file that decides its results.
package struct ScenarioDigest: Hashable, Sendable {
  package var scenario: String
  package var digest: String

  package init(scenario: String, digest: String) {
    self.scenario = scenario
    self.digest = digest
  }
}
