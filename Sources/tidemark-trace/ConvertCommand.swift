import ArgumentParser
import CommandLineInterface
import TraceReplay

struct ConvertCommand: ParsableCommand {
  static let fullName = "trace convert"

  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write a trace in another format.",
    discussion: """
      Refuses to lose what the other format cannot express, unless --drop or
      --number-keys allows it. Memory does not grow with the trace, unless keys
      are numbered.

      EXAMPLES
        tidemark trace convert keys.txt --from text --to be32 --output keys.be32
        tidemark trace convert requests.csv --from csv --to oracle-general \\
          --drop operations,lifetimes --number-keys --output requests.oracleGeneral
        xz -dc trace.xz | tidemark trace convert - --from be32 --to csv > trace.csv
      """)

  @Argument(help: ArgumentHelp("Read this trace, or - for standard input.", valueName: "TRACE"))
  var trace: String

  @Option(
    help: ArgumentHelp(
      "Read the trace in this format; `tidemark trace formats` describes each.", valueName: "NAME"))
  var from: String

  @Option(help: ArgumentHelp("Write this format.", valueName: "NAME"))
  var to: String

  @Option(
    help: ArgumentHelp(
      """
      Allow leaving out operations (only the gets are written), sizes, lifetimes, times; \
      separated by commas.
      """, valueName: "a,b"))
  var drop: String?

  @Flag(help: "Write numbers from 0, by first appearance, instead of the keys.")
  var numberKeys = false

  @OptionGroup var columns: TraceColumnOptions

  @Option(help: ArgumentHelp("Write to this file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  func run() throws {
    let source = try TraceInput.format(named: from)
    let target = try TraceInput.format(named: to)
    let losses = TraceConverter.Losses(columns: try dropped(), numbersKeys: numberKeys)
    var options = try columns.readingOptions(of: source)
    // Gets are distinguished from other lines even if operations are not written.
    options.columns.subtract(losses.columns.subtracting(.operations))
    try OutputFile.check(output, reading: [trace])
    var converter = TraceConverter(from: source, to: target, options: options, losses: losses)
    do {
      try OutputFile.write(to: output) { write in
        try InputFile.forEachSpan(of: trace, isText: source.isText, command: Self.fullName) {
          try converter.consume($0, write)
        }
        try converter.finish(write)
      }
    } catch let error as TraceError {
      throw CommandFailure(.input, "\(InputFile.title(of: trace)): \(error)")
    } catch let error as ConversionError {
      throw CommandFailure(.input, "\(InputFile.title(of: trace)): \(error)")
    }
    let omitted = converter.omitted > 0 ? ", \(converter.omitted) that are no gets left out" : ""
    let requests = converter.lines == 1 ? "request" : "requests"
    Console.note("\(converter.lines) \(requests) written\(omitted)")
  }

  private func dropped() throws -> TraceColumns {
    let known: [(String, TraceColumns)] = [
      ("operations", .operations), ("sizes", .weights), ("lifetimes", .lifetimes),
      ("times", .times),
    ]
    var columns: TraceColumns = []
    for name in try drop.map({ try NameList.names(in: $0, of: "--drop", example: "sizes,times") })
      ?? []
    {
      guard let column = known.first(where: { $0.0 == name })?.1 else {
        let suggestion = Suggestion.text(for: name, among: known.map(\.0))
        throw CommandFailure(.input, "--drop: nothing is called \"\(name)\"; \(suggestion)")
      }
      columns.insert(column)
    }
    return columns
  }
}
