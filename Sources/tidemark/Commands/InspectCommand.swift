import ArgumentParser
import Reporting
import TraceReplay

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what a trace is like: keys, popularity, reuse, working set, sizes.",
    discussion: """
      EXAMPLES
        tidemark inspect keys.txt --trace-format text
        xz -dc trace.xz | tidemark inspect - --trace-format be32 --format csv
      """)

  @Argument(help: ArgumentHelp("A trace, or - for standard input.", valueName: "TRACE"))
  var trace: String

  @OptionGroup var input: TraceInput

  @Option(help: "csv, json or table.")
  var format: ResultFormat = .table

  @Option(help: ArgumentHelp("A file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  func run() throws {
    try OutputFile.check(output)
    let interned = try TraceInput.read(
      trace, format: try input.format(), options: try input.readingOptions(),
      command: Self.configuration.commandName)
    try OutputFile.write(try bytes(TraceSummary(of: interned)), to: output)
  }

  private func bytes(_ summary: TraceSummary) throws -> [UInt8] {
    switch format {
    case .csv:
      var writer = CSVWriter()
      for column in ["trace", "figure", "value", "unit", "note"] { writer.plain(column) }
      writer.endLine()
      for row in summary.rows {
        writer.text(summary.name)
        writer.plain(row.name)
        switch row.value {
        case .count(let count): writer.plain(String(count))
        case .real(let value), .share(let value): writer.plain("\(value)")
        }
        writer.plain(row.unit)
        writer.text(row.note)
        writer.endLine()
      }
      return writer.bytes
    case .json:
      let figures = summary.rows.map { row in
        switch row.value {
        case .count(let count): JSONMember(row.name, .integer(Int64(count)))
        case .real(let value), .share(let value): JSONMember(row.name, .real(value))
        }
      }
      return try JSONWriter.document(
        .object([JSONMember("trace", .string(summary.name))] + figures))
    case .table:
      var table = TextTable(
        columns: [
          .init("figure", .left), .init(summary.name, .right), .init("unit", .left),
          .init("note", .left),
        ])
      for row in summary.rows { table.append([row.name, text(row.value), row.unit, row.note]) }
      return Array(table.terminal(style: Console.style).utf8)
    }
  }

  private func text(_ value: TraceSummary.Row.Value) -> String {
    switch value {
    case .count(let count): HumanNumber.count(Double(count))
    case .share(let share): HumanNumber.percent(share)
    case .real(let value): HumanNumber.fixed(value, decimals: value < 100 ? 3 : 0)
    }
  }
}
