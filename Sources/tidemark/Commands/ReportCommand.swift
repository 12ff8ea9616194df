import ArgumentParser
import CommandLineInterface
import Foundation
import Reporting

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show or compare folders of results.",
    discussion: """
      Reads what `bench` wrote and simulates nothing. The page is one file that loads nothing and \
      runs nothing. Missing parts are named, with the command that makes them.

      EXAMPLES
        tidemark report Reports/latest
        tidemark report Reports/baseline Reports/latest --format table
        tidemark report --trend Reports/baseline Reports/tonight
      """)

  @Argument(
    help: ArgumentHelp(
      "Show this folder of results, or compare two, seed by seed.", valueName: "DIR"))
  var folders: [String]

  @Flag(help: "Show every figure folder by folder, the oldest first.")
  var trend = false

  @Option(help: "Write in this format: html; for two folders also markdown or table.")
  var format = ReportFormat.html

  @Option(
    help: ArgumentHelp(
      "Write to this file, or - for standard output, the default. The default for html: index.html in DIR, "
        + "comparison.html for two folders, trend.html next to the folders of a trend.",
      valueName: "FILE"))
  var output: String?

  @Option(
    help: ArgumentHelp("Show these scenarios; default: all in the folder.", valueName: "a,b"))
  var scenarios: String?

  private var place: String {
    if let output { return output }
    guard format == .html else { return "-" }
    return trend
      ? URL(fileURLWithPath: folders[0]).deletingLastPathComponent().relativePath + "/trend.html"
      : "\(folders[0])/" + (folders.count == 1 ? "index.html" : "comparison.html")
  }

  func run() throws {
    guard trend || folders.count <= 2 else {
      throw CommandFailure(
        .input, "\(folders.count) folders: two can be compared; add --trend to follow more")
    }
    guard format == .html || folders.count == 2 && !trend else {
      throw CommandFailure(
        .input,
        "--format \(format) requires two folders to compare; for one, read its report.txt")
    }
    let names = try scenarios.map { text throws(CommandFailure) in
      try NameList.names(in: text, of: "--scenarios", example: "file-browser,slow-link")
    }
    let results = try folders.map { try load($0, names) }
    try OutputFile.write(try trend ? trendPage(results) : bytes(results), to: place)
    if place != "-" { Console.note("report: \(place)") }
  }

  private func bytes(_ results: [SavedResults]) -> [UInt8] {
    if results.count > 1 {
      let comparison = ResultsComparison(of: results[0], with: results[1])
      return switch format {
      case .html: comparison.html()
      case .markdown: Array(comparison.markdown().utf8)
      case .table: Console.legible(comparison.text(style: Console.style))
      }
    }
    return ReportPage(results[0]).html()
  }

  private func trendPage(_ results: [SavedResults]) throws(CommandFailure) -> [UInt8] {
    TrendPage(
      try results.map { results throws(CommandFailure) in
        (results, try StoredCounts.load(results.folder)?.rows ?? [])
      }
    ).html()
  }

  private func load(_ folder: String, _ names: [String]?) throws(CommandFailure) -> SavedResults {
    let results = try ResultsFolder.load(folder)
    guard let names else { return results }
    let known = results.scenarios
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: folder)): no rows of a scenario \"\(unknown)\"; "
          + Suggestion.text(for: unknown, among: known))
    }
    return results.restricted(to: names)
  }
}

enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case html, markdown, table
}
