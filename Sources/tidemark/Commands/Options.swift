import ArgumentParser
import Metrics
import Reporting
import Workloads

/// The form of a result on standard output or in a file.
enum ResultFormat: String, ExpressibleByArgument, CaseIterable {
  case csv, json, table
}

/// `--policies a,b`: names separated by commas.
struct PolicyNames: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Policies to run, separated by commas; default: the scenario's own list.",
      valueName: "a,b"))
  var policies: String?

  var names: [String] { policies?.split(separator: ",").map(String.init) ?? [] }
}

/// Where a result goes and in which form.
struct ResultOutput: ParsableArguments {
  @Option(help: "csv (tidy, one value a row), json or table.")
  var format: ResultFormat = .table

  @Option(help: ArgumentHelp("A file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  /// Writes rows as asked; `table` is made only if it is wanted.
  func write(_ rows: [ResultRow], table: () -> String) throws {
    let bytes =
      switch format {
      case .csv: try TidyTable.csv(rows)
      case .json: try ResultRowsJSON.array(rows)
      case .table: Array(table().utf8)
      }
    try OutputFile.write(bytes, to: output)
  }
}

/// What to write instead of a name that is not known.
enum Suggestion {
  static func text(for name: String, among known: [String]) -> String {
    let all = "known: \(known.joined(separator: ", "))"
    return NearestName.suggestion(for: name, among: known).map { "did you mean \"\($0)\"? \(all)" }
      ?? all
  }
}
