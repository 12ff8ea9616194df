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
      Events are lost, late and doubled, and every half minute nothing passes for
      three seconds. At the end every listing of the cache must be the server's. No view
      may ever show something else than the cache has without a notification. From four
      minutes on, the memory of the process must not have grown by more than 2 % after the
      first quarter. Otherwise the exit code is 1.

      From some 5,000 events per second on, more is missed in an outage than the server can
      tell again (16,384 events), and everything is fetched: soak_resyncs.

      EXAMPLES
        tidemark measure soak
        tidemark measure soak --duration 30s --rate 2000 --format csv
      """)

  @Option(help: ArgumentHelp("The preset of the cache under test.", valueName: "NAME"))
  var policy = "spacedrive"

  @Option(help: ArgumentHelp("How long events are sent, up to a day.", valueName: "10min"))
  var duration = "10min"

  @Option(help: ArgumentHelp("Events per second.", valueName: "N"))
  var rate = 2_000.0

  @Option(help: "The seed of the data, of arrivals and of the network.")
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
