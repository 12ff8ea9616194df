import ArgumentParser
import CommandLineInterface
import Reporting
import Text
import TraceReplay

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats", abstract: "List the formats of traces that can be read and written.")

  @OptionGroup var result: ListOutput

  func run() throws {
    try result.write(
      columns: ["name", "holds", "summary"],
      rows: TraceFormats.all.map { format in
        let columns = format.columns.isEmpty ? "keys" : "keys, \(format.columns.names)"
        return [format.name, columns, format.summary]
      })
  }
}
