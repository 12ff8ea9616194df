import ArgumentParser
package import CommandLineInterface
import Reporting
package import TraceReplay

/// The commands of `tidemark trace`: traces of keys with eviction orders.
struct TidemarkTrace: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark", abstract: "Run traces of keys against eviction orders.",
    version: CommandLineMain.version,
    subcommands: [TraceCommand.self])
}

struct TraceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace", abstract: "Run traces of keys against eviction orders.",
    subcommands: [
      ReplayCommand.self, CurveCommand.self, ConvertCommand.self, InspectCommand.self,
      BenchCommand.self, FormatsCommand.self,
    ])
}

@main
enum Main {
  static func main() async { await CommandLineMain.run(TidemarkTrace.self) }
}

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

struct InspectCommand: ParsableCommand {
  static let fullName = "trace inspect"

  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Describe a trace: operations, keys, reuse, sizes.",
    discussion: """
      EXAMPLES
        tidemark trace inspect keys.txt --trace-format text
        xz -dc trace.xz | tidemark trace inspect - --trace-format be32 --format csv
      """)

  @Argument(help: ArgumentHelp("Read this trace, or - for standard input.", valueName: "TRACE"))
  var path: String

  @OptionGroup var input: TraceInput

  @OptionGroup var result: TableOutput

  func run() throws {
    try OutputFile.check(result.output, reading: [path])
    let trace = try TraceInput.read(
      path, format: try input.format(), options: try input.readingOptions(),
      command: Self.fullName)
    let inspection = Inspection(TraceSummary(of: trace))
    try OutputFile.write(try inspection.bytes(result.format), to: result.output)
  }
}

extension Inspection {
  /// Creates the output of a trace's statistics.
  fileprivate init(_ summary: TraceSummary) {
    self.init(kind: "trace", name: summary.name)
    figures = summary.rows.map {
      Figure(name: $0.name, value: Figure.Value($0.value), unit: $0.unit, note: $0.note)
    }
  }
}

extension Inspection.Figure.Value {
  fileprivate init(_ value: TraceSummary.Row.Value) {
    switch value {
    case .count(let count): self = .count(count)
    case .real(let value): self = .real(value)
    case .share(let share): self = .share(share)
    }
  }
}

extension TraceError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension ConversionError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension CapacityError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}
