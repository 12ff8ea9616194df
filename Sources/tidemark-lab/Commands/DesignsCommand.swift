import ArgumentParser
import CommandLineInterface
import Processes
import RealTime
import Reporting

/// The other cache designs with real files, SQLite, and HTTP on this machine.
struct DesignsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "designs",
    abstract: "Measure the other cache designs with real files, SQLite and HTTP.",
    subcommands: [DesignTimesCommand.self, DesignCountsCommand.self],
    defaultSubcommand: DesignTimesCommand.self)
}

/// Times the designs and controls, round by round.
struct DesignTimesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "time",
    abstract: "Measure reads by tier, starts, sweeps and clean-ups, with a control.",
    discussion: """
      Each line has the median of the rounds, with the lowest and the highest.
      Files are in the system's cache when they are read.

      EXAMPLES
        tidemark measure designs --entries 200,2000 --rounds 1
      """)

  @Option(help: ArgumentHelp("Try these sizes of the caches, in entries.", valueName: "a,b"))
  var entries = SizeList(sizes: [200, 2_000, 20_000])
  @Option(help: "Read each tier this often, 1,000 to 1,000,000.")
  var reads = 5_000
  @Option(help: "Let this many reads wait for the server, 1,000 to 100,000.")
  var requests = 1_000
  @Option(help: "Give a body this many bytes, 100 to 10,000,000.")
  var bytes = 20_000
  @Option(help: ArgumentHelp("Set the server's latency, 0 to 10,000.", valueName: "ms"))
  var latency = 5
  @Option(help: "Measure everything this many times, 1 to 100.")
  var rounds = 3
  @Option(
    help: ArgumentHelp(
      "Keep the caches in this folder; default: a temporary one.", valueName: "folder"))
  var folder: String?
  @Option(help: ArgumentHelp("Also write the values of all rounds as CSV.", valueName: "FILE"))
  var output: String?

  func validate() throws {
    try Self.check("reads", reads, 1_000...1_000_000)
    try Self.check("requests", requests, 1_000...100_000)
    try Self.check("bytes", bytes, 100...10_000_000)
    try Self.check("latency", latency, 0...10_000)
    try Self.check("rounds", rounds, 1...100)
  }

  private static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard !range.contains(value) else { return }
    throw ValidationError(
      "--\(name) \(value): out of range; give \(range.lowerBound) to \(range.upperBound)")
  }

  func run() async throws {
    if let output { try OutputFile.check(output) }
    let progress = ProgressLine("designs")
    let place = TemporaryFolder(for: "designs", in: folder)
    try place.make()
    defer { place.remove() }
    var plan = DesignPlan(folder: place.url)
    (plan.entries, plan.reads, plan.requests) = (entries.sizes, reads, requests)
    (plan.bodyBytes, plan.latency) = (bytes, .milliseconds(latency))
    let samples = try await DesignTimes(plan: plan).samples(rounds: rounds) {
      progress.report("round \($0) of \(rounds)")
    }
    progress.end()
    let table = SampleTable(samples: samples)
    let machine = MachineDescription.current().entries.map { "\($0.key): \($0.value)\n" }
    try Console.write(
      machine.joined() + "\n" + table.table().terminal(style: .plain, width: 120) + "\n")
    if let output { try OutputFile.write(try table.csv(), to: output) }
  }
}

/// Counts quantities that are independent of the machine.
struct DesignCountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract:
      "Print the counted tables of Documentation/Findings.md.")

  func run() async throws {
    let place = TemporaryFolder(for: "designs")
    try place.make()
    defer { place.remove() }
    for section in try await DesignCounts.sections(in: DesignPlan(folder: place.url)) {
      try Console.write(Array("\(section.title)\n\n\(section.table.markdown())\n\n".utf8))
    }
  }
}

/// Sizes in the form of the command line: `200,2000`.
struct SizeList: ExpressibleByArgument, CustomStringConvertible {
  var sizes: [Int]

  init(sizes: [Int]) { self.sizes = sizes }

  /// - Returns: `nil` unless there are one to ten integers from 20 to 100,000.
  init?(argument: String) {
    let fields = argument.split(separator: ",", omittingEmptySubsequences: false)
    let sizes = fields.compactMap { Int($0) }.filter { (20...100_000).contains($0) }
    guard sizes.count == fields.count, (1...10).contains(sizes.count) else { return nil }
    self.sizes = sizes
  }

  var description: String { sizes.map { "\($0)" }.joined(separator: ",") }
  var defaultValueDescription: String { description }
}

/// Measures one sample of each operation's time; an internal command of `gate --against`.
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
