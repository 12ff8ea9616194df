import ArgumentParser
import CommandLineInterface
import RealTime
import Reporting
import Text

struct SoakCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Run the real cache over a bad network: leaks, misses, drift.",
    discussion: """
      Events are lost, delayed and duplicated, and every half minute nothing passes for
      three seconds. Exits with 1 if at the end a listing of the cache differs from the
      server's, if a view differed from the cache without a notification, or if in four
      minutes or more the memory of the process grew by more than 2 % after the first
      quarter.

      Above some 5,000 events per second, an outage misses more than the server can replay
      (16,384 events), and everything is fetched again: soak_resyncs.

      EXAMPLES
        tidemark measure soak
        tidemark measure soak --duration 30s --rate 2000 --format csv
      """)

  @Option(help: ArgumentHelp("Test the cache of this preset.", valueName: "NAME"))
  var policy = "spacedrive"

  @Option(help: ArgumentHelp("Send events for this time, up to a day.", valueName: "10min"))
  var duration = "10min"

  @Option(help: ArgumentHelp("Send this many events per second.", valueName: "N"))
  var rate = 2_000.0

  @Option(help: "Draw data, arrivals and network from this seed.")
  var seed: UInt64 = 1

  @OptionGroup var result: ResultOutput

  private static let longestDuration: Int64 = 86_400_000_000_000

  func run() async throws {
    guard (1...1_000_000).contains(rate) else {
      throw CommandFailure(.input, "--rate is \(rate); give 1 to 1000000 events per second")
    }
    let nanoseconds = try Dimension.duration.whole(
      duration, of: "--duration", in: 1...Self.longestDuration)
    guard
      let plan = SoakPlan.standard(
        preset: policy, seed: seed, duration: .nanoseconds(nanoseconds), rate: rate)
    else {
      throw CommandFailure(
        .input, "no preset is called \"\(policy)\"; `tidemark list presets` names them")
    }
    try OutputFile.check(result.output)
    let progress = ProgressLine("soak")
    let soak: SoakResult
    do {
      soak = try await SoakRun(plan: plan) { progress.report($0) }.run()
    } catch let error as SoakError {
      progress.end()
      // This error is caused by the options; others by the run.
      throw CommandFailure(error == .keepsNothing ? .input : .failed, "soak: \(error)")
    }
    progress.end()
    try result.write(soak.rows) { MeasureReport.text(soak.rows, style: Console.style) }
    if soak.memoryGrows == nil {
      Console.note(
        "soak: whether memory grows was not decided: that takes four minutes, and a system that tells"
      )
    }
    guard soak.faults.isEmpty else {
      throw CommandFailure(.failed, soak.faults.map { "soak: \($0)" }.joined(separator: "\n"))
    }
  }
}
