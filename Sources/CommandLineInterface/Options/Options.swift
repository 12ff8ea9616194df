package import ArgumentParser
import Reporting
package import ResultModel
import Workloads

/// The form of a result on standard output or in a file.
package enum ResultFormat: String, ExpressibleByArgument, CaseIterable {
  case csv, json, table
}

/// `--policies a,b`: names separated by commas.
package struct PolicyNames: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Policies to run, separated by commas; default: the scenario's own list.",
      valueName: "a,b"))
  package var policies: String?

  package init() {}

  /// The names; none where the option was omitted.
  ///
  /// - Throws: ``CommandFailure`` for a list of nothing, which a script's unset variable leaves.
  package func names() throws(CommandFailure) -> [String] {
    try policies.map { text throws(CommandFailure) in try Self.list(text) } ?? []
  }

  /// The names of a list, each once.
  ///
  /// - Throws: ``CommandFailure`` for a list of nothing.
  package static func list(_ text: String) throws(CommandFailure) -> [String] {
    let names = try NameList.names(in: text, of: "--policies", example: "lru,ttl")
    return names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
  }
}

/// Names separated by commas, of which there is at least one.
package enum NameList {
  /// - Throws: ``CommandFailure`` for a list of nothing, which a script's unset variable leaves.
  package static func names(
    in text: String, of option: String, example: String
  ) throws(CommandFailure) -> [String] {
    let names = text.split(separator: ",").map(String.init)
    guard !names.isEmpty else {
      throw CommandFailure(
        .input, "\(option) names none; write for example \(option) \(example), or omit it")
    }
    return names
  }
}

/// Where a result goes and in which form.
package struct ResultOutput: ParsableArguments {
  @Option(help: "csv (tidy, one value a row), json or table.")
  package var format: ResultFormat = .table

  @Option(help: ArgumentHelp("A file, or - for standard output.", valueName: "FILE"))
  package var output = "-"

  package init() {}

  /// Writes rows as asked; `table` is made only if it is wanted.
  package func write(
    _ rows: [ResultRow], added: AddedColumns? = nil, table: () -> String
  ) throws {
    let bytes =
      switch format {
      case .csv: try TidyTable.csv(rows, added: added)
      case .json: try ResultRowsJSON.array(rows, added: added)
      case .table: Console.legible(table())
      }
    try OutputFile.write(bytes, to: output)
  }
}

/// Where a table with columns of its command's own goes, and in which form.
package struct TableOutput: ParsableArguments {
  @Option(help: "csv, json or table.")
  package var format: ResultFormat = .table

  @Option(help: ArgumentHelp("A file, or - for standard output.", valueName: "FILE"))
  package var output = "-"

  package init() {}
}

/// What to write instead of a name that is not known.
package enum Suggestion {
  package static func text(for name: String, among known: [String]) -> String {
    let all = "known: \(known.joined(separator: ", "))"
    return NearestName.suggestion(for: name, among: known).map { "did you mean \"\($0)\"? \(all)" }
      ?? all
  }
}
