import ArgumentParser
import CacheModel
import CommandLineInterface
import EvictionPolicies
import Reporting
import Workloads

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List policies, presets, scenarios, metrics and keys.",
    discussion: """
      NAME@limit runs a preset that has its own limits, or none, under those of the scenario: relay@limit. \
      NAME@no-push runs a client whose app does not subscribe to events: relay@no-push.

      EXAMPLES
        tidemark list presets
        tidemark list fields --format markdown
        tidemark list schema
      """)

  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case policies, admissions, presets, scenarios, metrics, fields, schema
  }

  @Argument(
    help: """
      List policies (eviction orders), admissions, presets (named policies), scenarios, metrics, fields \
      (every key of a scenario) or schema (the same as a JSON Schema, for editors).
      """)
  var subject: Subject

  @OptionGroup var result: ListOutput

  func run() throws {
    switch (subject, result.format) {
    case (.metrics, .json): try Console.write(MetricCatalogue.json())
    case (.metrics, .markdown): try Console.write(Array(MetricCatalogue.table().markdown().utf8))
    case (.metrics, .table):
      try Console.write(MetricCatalogue.table().terminal(style: Console.style))
    case (.fields, .markdown): try Console.write(Array(ScenarioReference().markdown.utf8))
    case (.schema, _): try Console.write(ScenarioSchema(vocabulary: .all).document())
    default:
      let listing = try listing()
      try result.write(columns: listing.columns, rows: listing.rows)
    }
  }

  private func listing() throws -> (columns: [String], rows: [[String]]) {
    switch subject {
    case .policies:
      (
        ["name", "summary", "source"],
        EvictionPolicies.all.map { [$0.name, $0.summary, $0.source] }
      )
    case .admissions:
      (
        ["name", "summary", "source"],
        AdmissionPolicies.all.map { [$0.name, $0.summary, $0.source] }
      )
    case .presets:
      (
        ["name", "limits", "summary"],
        Preset.all.map { [$0.name, PresetLimits($0).text, $0.summary] }
          + DesignPreset.all.map { [$0.name, "the scenario's, of memory and disk", $0.summary] }
      )
    case .scenarios:
      (
        ["name", "summary"],
        try ScenarioFile.load(ScenarioFile.knownNames()).map {
          [$0.scenario.name, $0.scenario.summary]
        }
      )
    case .fields: ScenarioReference().table
    case .metrics, .schema: ([], [])
    }
  }
}
