import ArgumentParser
import Foundation
import Processes
import RealTime
import Reporting
import ResponseCache

/// Times the designs beside controls, round by round.
struct TimeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "time",
    abstract: "Time reads by tier, starts, sweeps and clean-ups, beside a control in the same run.",
    discussion: """
      A line is the median of the rounds, between the lowest and the highest.
      Files are in the system's cache when they are read.
      """)

  @Option(help: ArgumentHelp("Sizes of the caches, in entries.", valueName: "a,b"))
  var entries = SizeList(sizes: [200, 2_000, 20_000])
  @Option(help: "Reads of each tier, 1,000 to 1,000,000.")
  var reads = 5_000
  @Option(help: "Reads of those that wait for the server, 1,000 to 100,000.")
  var requests = 1_000
  @Option(help: "Bytes of a body, 100 to 10,000,000.")
  var bytes = 20_000
  @Option(help: ArgumentHelp("The server's latency, 0 to 10,000.", valueName: "ms"))
  var latency = 5
  @Option(help: "How often everything is measured, 1 to 100.")
  var rounds = 3
  @Option(
    help: ArgumentHelp("Where the caches are; default: a temporary folder.", valueName: "folder"))
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
      "--\(name) \(value) is not possible; from \(range.lowerBound) to \(range.upperBound)")
  }

  func run() async throws {
    let table = try await TemporaryPlace.use(folder) { place in
      var plan = BenchPlan(folder: place)
      (plan.entries, plan.reads, plan.requests) = (entries.sizes, reads, requests)
      (plan.bodyBytes, plan.latency) = (bytes, .milliseconds(latency))
      var samples: [DesignSample] = []
      for round in 1...rounds {
        FileHandle.standardError.write(Data("round \(round) of \(rounds)\n".utf8))
        samples += try await DesignTimes(plan: plan).samples(round: round)
      }
      return SampleTable(samples: samples)
    }
    for entry in MachineDescription.current().entries { print("\(entry.key): \(entry.value)") }
    print("\n" + table.table().terminal(style: .plain, width: 120))
    if let output {
      try Data(try table.csv()).write(to: URL(fileURLWithPath: output), options: .atomic)
    }
  }
}

/// Sizes as the command line has them: `200,2000`.
struct SizeList: ExpressibleByArgument, CustomStringConvertible {
  var sizes: [Int]

  init(sizes: [Int]) { self.sizes = sizes }

  /// - Returns: `nil` unless there are one to ten whole numbers from 20 to 100,000.
  init?(argument: String) {
    let fields = argument.split(separator: ",", omittingEmptySubsequences: false)
    let sizes = fields.compactMap { Int($0) }.filter { (20...100_000).contains($0) }
    guard sizes.count == fields.count, (1...10).contains(sizes.count) else { return nil }
    self.sizes = sizes
  }

  var description: String { sizes.map { "\($0)" }.joined(separator: ",") }
  var defaultValueDescription: String { description }
}
