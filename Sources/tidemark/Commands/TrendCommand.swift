import ArgumentParser
import CommandLineInterface
import Foundation
import Reporting
import ResultModel
import Text

struct TrendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trend",
    abstract: "Append the results of a commit to a CSV file.",
    discussion: """
      A line has the fresh hits of each policy in each scenario of a folder, and the counts that \
      `bench --baseline --counts` wrote there. A commit that the file has already is replaced.

      EXAMPLES
        tidemark bench --baseline --counts --output Reports/tonight
        tidemark trend trend.csv --results Reports/tonight --commit 1a2b3c4 --date 2026-01-31
        tidemark report trend.csv
      """)

  @Argument(help: ArgumentHelp("The file; made where it is not there.", valueName: "FILE"))
  var file: String

  @Option(help: ArgumentHelp("The folder of the results.", valueName: "DIR"))
  var results: String

  @Option(help: ArgumentHelp("What the line is called.", valueName: "NAME"))
  var commit: String

  @Option(help: ArgumentHelp("The day of the commit, as in 2026-01-31.", valueName: "DATE"))
  var date: String

  /// What the name of a commit, or a day, may have.
  private static let maximumLength = 64

  func run() throws {
    for (name, text) in [("--commit", commit), ("--date", date)]
    where text.isEmpty || text.utf8.count > Self.maximumLength {
      throw CommandFailure(
        .input, "\(name) is \(text.utf8.count) bytes long; give 1 to \(Self.maximumLength)")
    }
    let folder = try ResultsFolder.load(results)
    let counts = try StoredCounts.load(results)?.rows ?? []
    var table = FileKind.of(file) == nil ? TrendTable() : try TableFile.trend(file)
    table.add(
      commit: commit, date: date, figures: TrendTable.figures(of: folder, counts: counts))
    try OutputFile.write(try table.csv(), to: file)
  }
}
