import ArgumentParser
import CommandLineInterface
import Foundation
import Reporting
import Text

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show or compare folders of results.",
    discussion: """
      Reads what `bench` wrote and simulates nothing. The page is one file that loads nothing and \
      runs nothing. What a folder lacks is named where it would stand, with the command that makes it. \
      Of a file that `trend` wrote, the page shows each figure commit by commit.

      EXAMPLES
        tidemark report Reports/latest
        tidemark report Reports/baseline Reports/latest --format table
        tidemark report trend.csv
      """)

  @Argument(
    help: ArgumentHelp("The folder of the results, or a file of `trend`.", valueName: "DIR"))
  var folder: String

  @Argument(
    help: ArgumentHelp("Another, to be set beside it, seed by seed.", valueName: "DIR2"))
  var other: String?

  @Option(help: "html, markdown or table.")
  var format = ReportFormat.html

  @Option(
    help: ArgumentHelp(
      "A file, or - for standard output; default: standard output, and of html index.html in DIR, "
        + "comparison.html of two, trend.html beside a trend.",
      valueName: "FILE"))
  var output: String?

  @Option(
    help: ArgumentHelp("Scenarios to show; default: all of the folder.", valueName: "a,b"))
  var scenarios: String?

  /// Where the result goes.
  private var place: String {
    if let output { return output }
    guard format == .html else { return "-" }
    return "\(folder)/" + (other == nil ? "index.html" : "comparison.html")
  }

  func run() throws {
    if FileKind.of(folder) == .file { return try drawTrend() }
    let names = try scenarios.map { text throws(CommandFailure) in
      try NameList.names(in: text, of: "--scenarios", example: "file-browser,slow-link")
    }
    let results = try load(folder, names)
    let bytes: [UInt8]
    if let other {
      let comparison = ResultsComparison(of: results, with: try load(other, names))
      bytes =
        switch format {
        case .html: comparison.html()
        case .markdown: Array(comparison.markdown().utf8)
        case .table: Console.legible(comparison.text(style: Console.style))
        }
    } else {
      bytes =
        switch format {
        case .html: ReportPage(results).html()
        case .markdown: Array(ReportText(results).markdown().utf8)
        case .table: Console.legible(ReportText(results).text(style: Console.style))
        }
    }
    try OutputFile.write(bytes, to: place)
    if place != "-" { Console.note("report: \(place)") }
  }

  private func drawTrend() throws {
    guard other == nil, scenarios == nil, format == .html else {
      throw CommandFailure(
        .input, "\(folder): a trend is drawn alone, whole and as html; leave out the rest")
    }
    let page = TrendPage(try TableFile.trend(folder), name: folder)
    let place =
      output
      ?? URL(fileURLWithPath: folder).deletingLastPathComponent().relativePath + "/trend.html"
    try OutputFile.write(page.html(), to: place)
    if place != "-" { Console.note("report: \(place)") }
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

/// The form of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case html, markdown, table
}
