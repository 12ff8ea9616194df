import CacheModel
package import Workloads

/// The caches for comparing recordings: a recording has only the traffic.
///
/// They are lent by a scenario file, or by the scenario with the recording's name if that is for the same
/// app; otherwise they are the presets with default limits.
package struct LentCaches: Sendable {
  package var file: ScenarioFile
  /// The lent scenario; `nil`: none was named.
  package var lent: LentScenario?
  /// The sections with lent values.
  package var sections: [String] = []
  /// A note about a scenario with the recording's name.
  package var note: String?

  /// - Parameters:
  ///   - session: the first recording.
  ///   - model: the data of all of them.
  ///   - path: the path of the first.
  ///   - lender: the named scenario file.
  /// - Throws: ``CommandFailure`` or `ScenarioError` if it lends nothing, or is for another app.
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
          "--scenario \(path): it has nothing to lend; write `cache`, `policies`, `goal`, `network` or `server` in it"
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
    // Targets are judged by the rows of the recording.
    file.scenario.name = session.name
    file.scenario.model = model
    if file.scenario.policies.isEmpty {
      file.scenario.policies = Preset.all.map { PolicyEntry(preset: $0.name) }
    }
  }
}
