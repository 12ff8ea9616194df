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
      Measures all sizes of an axis in turns, in one process. For each curve it prints nanoseconds per \
      operation, operations per second, the exponent of a power law with its 95 % interval over the turns, \
      and whether the curve counts as flat (exponent at most 0.1; at most 1.1 for fan-out, whose work \
      grows). The CSV also has the sizes in between. Takes a minute or two; with --quick, seconds.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Make these larger, separated by commas: \(Self.axisNames); default: each in turn.
      """, valueName: "a,b"))
  var axes: [String] = []

  private static let axisNames = ScaleAxis.allCases.map(\.rawValue).joined(separator: ", ")

  @Flag(help: "Measure two small sizes of each axis in few turns: a test run that decides nothing.")
  var quick = false

  @Option(help: "Draw the data from this seed.")
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
