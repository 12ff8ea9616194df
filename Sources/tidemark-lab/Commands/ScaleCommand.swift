import ArgumentParser
import CommandLineInterface
import RealTime
import Reporting
import ResultModel

struct ScaleCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions: Set = ["--axes"]

  static let configuration = CommandConfiguration(
    commandName: "scale",
    abstract: "Measure how costs of events and reads grow with the cache.",
    discussion: """
      All sizes of an axis are measured in turns, in one process. For each curve: nanoseconds per \
      operation, operations per second, the exponent of a power law through them with an interval of 95 % \
      over the turns, and whether it counts as flat (0.1 at most; fan-out, where the work itself grows: \
      1.1). The sizes between are in the CSV. A minute or two; --quick: seconds.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      What to make larger, separated by commas: \(Self.axisNames); default: each in turn.
      """, valueName: "a,b"))
  var axes: [String] = []

  private static let axisNames = ScaleAxis.allCases.map(\.rawValue).joined(separator: ", ")

  @Flag(help: "Two small sizes of each axis, few turns: shows that it works, decides nothing.")
  var quick = false

  @Option(help: "The seed of the data.")
  var seed: UInt64 = 1

  @OptionGroup var result: ResultOutput

  func run() async throws {
    let axes = try chosenAxes()
    try OutputFile.check(result.output)
    let progress = ProgressLine("scale")
    var run = ScaleRun(axes: axes, seed: seed) { progress.report($0) }
    if quick { run.makeQuick() }
    let rows = try await run.run()
    progress.end()
    try result.write(rows) { MeasureReport.text(rows, style: Console.style) }
  }

  /// - Throws: ``CommandFailure`` for a name that is no axis.
  private func chosenAxes() throws(CommandFailure) -> [ScaleAxis] {
    guard !axes.isEmpty else { return ScaleAxis.allCases }
    var chosen: [ScaleAxis] = []
    for text in axes {
      for name in try NameList.names(in: text, of: "--axes", example: "entities,readers") {
        guard let axis = ScaleAxis(rawValue: name) else {
          throw CommandFailure(
            .input, "--axes: no axis is called \"\(name)\"; give \(Self.axisNames)")
        }
        chosen.append(axis)
      }
    }
    return chosen
  }
}
