import ArgumentParser
import CacheModel
import EvictionPolicies
import Reporting
import ResultModel
import Text
import TraceReplay
import Workloads

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what there is: policies, admissions, presets, scenarios, metrics, formats.",
    discussion: """
      A preset with limits of its own, which may be none, is held to those of a scenario as NAME@limit: relay@limit.
      """)

  enum Subject: String, ExpressibleByArgument, CaseIterable {
    case policies, admissions, presets, scenarios, metrics, formats
  }

  enum ListFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json
  }

  @Argument(
    help: """
      policies (eviction orders), admissions (which stand in front of them), presets (whole \
      compositions), scenarios, metrics, or formats (of key traces).
      """)
  var subject: Subject

  @Option(help: "table, or json for scripts.")
  var format: ListFormat = .table

  func run() throws {
    if subject == .metrics {
      try Console.write(
        format == .json
          ? try MetricCatalogue.json()
          : Array(MetricCatalogue.table().terminal(style: Console.style).utf8))
      return
    }
    let listing = try listing()
    switch format {
    case .table:
      var table = TextTable(columns: listing.columns.map { TextTable.Column($0) })
      for row in listing.rows { table.append(row) }
      try Console.write(table.terminal(style: Console.style))
    case .json:
      let objects = listing.rows.map { row in
        JSONValue.object(
          zip(listing.columns, row).map { JSONMember($0, .string($1)) })
      }
      try Console.write(JSONWriter.document(.array(objects)))
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
        try ScenarioFile.load([]).map { [$0.scenario.name, $0.scenario.summary] }
      )
    case .formats:
      (
        ["name", "holds", "summary"],
        TraceFormats.all.map { format in
          let columns = format.columns.isEmpty ? "keys" : "keys, \(format.columns.names)"
          return [format.name, columns, format.summary]
        }
      )
    case .metrics:
      ([], [])
    }
  }
}
