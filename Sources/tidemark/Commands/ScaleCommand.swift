import ArgumentParser
import Measurement
import Reporting
import ResultModel

extension ScaleAxis: ExpressibleByArgument {}

struct ScaleCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions: Set = ["--axes"]

  static let configuration = CommandConfiguration(
    commandName: "scale",
    abstract: "Measure how the cost of an event and of a read grows with the size of the cache.",
    discussion: """
      All sizes of an axis are measured in turns, in one process. For each curve: nanoseconds per \
      operation, operations per second, the exponent of a power law through them with an interval of 95 % \
      over the turns, and whether it counts as flat (0.1 at most; fan-out, where the work itself grows: \
      1.1). The sizes between are in the CSV. A minute or two; --quick: seconds.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "What to make larger: entities, hot-entities, handles, queries, observers, fan-out, readers, query-readers; default: "
        + "each in turn.", valueName: "AXIS"))
  var axes: [ScaleAxis] = ScaleAxis.allCases

  @Flag(help: "Two small sizes of each axis, few turns: shows that it works, decides nothing.")
  var quick = false

  @Option(help: "The seed of the data.")
  var seed: UInt64 = 1

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try OutputFile.check(result.output)
    let progress = Progress("scale")
    let rows = try await ScaleRun(
      axes: axes, isQuick: quick, rounds: quick ? 5 : 41, operations: quick ? 200 : 2_000,
      seed: seed
    ) { progress.report($0) }.run()
    progress.end()
    try result.write(rows) { MeasureReport.text(rows, style: Console.style) }
  }
}
