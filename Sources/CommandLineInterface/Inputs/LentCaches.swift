import CacheModel
package import Workloads

/// The caches that recordings are compared under: a recording has what happened, not which caches saw it.
///
/// They are lent by a scenario file, or by the scenario whose name a recording bears if that is of the same
/// app; else they are the presets under the usual limits.
package struct LentCaches: Sendable {
  package var file: ScenarioFile
  /// What a file lends; `nil`: none was named.
  package var lent: LentScenario?
  /// The sections that are somebody's.
  package var sections: [String] = []
  /// What is to be said of a scenario of the recording's name.
  package var note: String?

  /// - Parameters:
  ///   - session: the first recording.
  ///   - model: the data of all of them.
  ///   - path: of the first.
  ///   - lender: the scenario file that was named.
  /// - Throws: ``CommandFailure`` or `ScenarioError` where it lends nothing, or is of another app.
  package init(to session: Workload, of model: DataModel, path: String, by lender: String?) throws {
    file = ScenarioFile(path: path, scenario: Scenario(of: model))
    if let lender {
      let path = try ScenarioFile.path(of: lender)
      let document = try ScenarioFile.document(path)
      let lent = try LentScenario(document, to: session, of: model, vocabulary: .all)
      sections = lent.sections
      guard !sections.isEmpty else {
        throw CommandFailure(
          .input,
          "--scenario \(path): it lends nothing; write `cache`, `policies`, `goal`, `network` or `server` in it"
        )
      }
      file = ScenarioFile(path: path, scenario: lent.scenario)
      file.document = document
      self.lent = lent
    } else if let names = try? ScenarioFile.names(), names.contains(session.name) {
      let own = try ScenarioFile.load(session.name)
      if own.scenario.queryNames == model.shapes.map(\.name) {
        file = own
        sections = ["cache", "policies", "goal", "network"]
        note = "policies, cache settings, goal and targets of \(own.path)"
      } else {
        note = "\(own.path) has its name and other queries, so nothing is taken from it"
      }
    }
    file.scenario.model = model
    if file.scenario.policies.isEmpty {
      file.scenario.policies = Preset.all.map { PolicyEntry(preset: $0.name) }
    }
  }
}
