import ArgumentParser
import CommandLineInterface
import Processes
import RealTime

/// One sample of the time of each operation; started by `gate --against`, and of no use alone.
struct RunSampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-sample", abstract: "One sample of a build; `gate --against` starts it.",
    shouldDisplay: false)

  @Option var slowdown = 0

  func run() async throws {
    guard (0...1_000).contains(slowdown) else {
      throw CommandFailure(.input, "--slowdown is \(slowdown); give 0 to 1000")
    }
    var times = OperationTimes()
    times.slowdown = slowdown
    try Console.tell(ChildRows.text(await times.rows()))
  }
}
