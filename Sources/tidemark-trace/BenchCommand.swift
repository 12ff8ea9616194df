import ArgumentParser
import CommandLineInterface
import EvictionPolicies
import Foundation
import TraceReplay

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure requests per second of a replay, per policy and capacity.",
    discussion: """
      Without a trace, generates one: independent requests, with popularity by Zipf's law. Measures \
      processor time, without waiting; figures differ between machines.
      """)

  @Argument(
    help: ArgumentHelp(
      "Replay this trace file, instead of a generated one; takes --trace-format.",
      valueName: "TRACE"))
  var trace: String?

  @OptionGroup var input: TraceInput

  @Option(help: ArgumentHelp("Generate this many requests.", valueName: "N"))
  var requests = 20_000_000

  @Option(help: ArgumentHelp("Draw requests from this many keys.", valueName: "N"))
  var keys = 1_000_000

  @Option(help: "Set the Zipf exponent of their popularity.")
  var exponent = 1.0

  @Option(
    help: ArgumentHelp(
      "Run these eviction orders, separated by commas; default: all that have a target.",
      valueName: "a,b"))
  var policies: String?

  @Option(
    help: ArgumentHelp(
      "Use these capacities, in entities or in percent of the distinct keys.", valueName: "100,1%"))
  var capacities = "0.1%,1%,10%"

  @Option(help: ArgumentHelp("Run each this many times; the fastest counts.", valueName: "N"))
  var repetitions = 3

  @Option(help: "Draw the trace from this seed.")
  var seed: UInt64 = 1

  @OptionGroup var result: TableOutput

  func validate() throws {
    guard (1...2_000_000_000).contains(requests), (1...1_000_000_000).contains(keys) else {
      throw ValidationError("--requests takes 1 to 2000000000, --keys 1 to 1000000000")
    }
    guard exponent > 0, exponent.isFinite, exponent <= 100 else {
      throw ValidationError("--exponent takes a number above 0, at most 100")
    }
    guard (1...1000).contains(repetitions) else {
      throw ValidationError("--repetitions takes 1 to 1000")
    }
    guard trace != InputFile.standardInput else {
      throw ValidationError("the trace is read more than once; give it as a file")
    }
    guard trace != nil || input.traceFormat == nil else {
      throw ValidationError("--trace-format is that of a trace; name its file, or omit it")
    }
    guard trace == nil || input.traceFormat != nil else {
      throw ValidationError("a trace takes --trace-format NAME; see tidemark trace formats")
    }
  }

  func run() throws {
    try OutputFile.check(result.output)
    let orders = try ReplayCommand.orders(
      policies ?? ReplayBenchmark.targets.map(\.policy).joined(separator: ","))
    let progress = ProgressLine("bench-replay")
    let requested = try CapacityRequest.parseList(capacities)
    var reading = try input.readingOptions()
    reading.wantsTimesAlone = false
    if !requested.contains(where: \.isInBytes) { reading.columns.remove(.weights) }
    let generated = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-\(UUID().uuidString).be32").path
    TerminationSignals.add(draft: generated)
    defer { TerminationSignals.settle(draft: generated) { FileWriter.removeFile(generated) } }
    if trace == nil {
      progress.report("drawing \(requests) requests")
      try SyntheticTrace.writeZipf(
        requests: requests, keys: keys, exponent: exponent, seed: seed, to: generated)
    }
    progress.report("reading")
    let file = ReplayBenchmark.File(
      path: trace ?? generated,
      format: try trace == nil ? TraceInput.format(named: "be32") : input.format(),
      options: reading)
    let benchmark = ReplayBenchmark(
      file: file, trace: try file.read(), repetitions: repetitions)
    let trace = benchmark.trace
    let cells = try Replay.cells(for: trace, policies: orders, capacities: requested)

    var rows: [ReplayBenchmark.Row] = []
    var bytesPerKey: Double?
    if let lru = EvictionPolicies.named("lru") { bytesPerKey = benchmark.bytesPerKey(lru) }
    if let fifo = EvictionPolicies.named("fifo") { rows.append(benchmark.control(fifo)) }
    let nextUses = Replay.nextUses(for: cells, of: trace)
    for cell in cells {
      progress.report("\(cell.policy.name) at \(cell.capacity)")
      rows.append(benchmark.loop(cell, nextUses: nextUses))
    }
    progress.report("the exact curve")
    rows.append(benchmark.curve())
    if let first = cells.first {
      progress.report("from file to result")
      rows.append(try benchmark.reading())
      rows.append(try benchmark.wholeCommand(first))
    }
    progress.end()
    try OutputFile.write(
      try ReplayBenchmarkReport(
        trace: trace, rows: rows, bytesPerRequest: Double(trace.bytes) / Double(trace.ids.count),
        bytesPerKey: bytesPerKey
      ).bytes(result.format), to: result.output)
  }
}
