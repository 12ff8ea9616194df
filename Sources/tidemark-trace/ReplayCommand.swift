import ArgumentParser
import CommandLineInterface
import EvictionPolicies
import Foundation
import Processes
import Reporting
import TraceReplay

struct ReplayCommand: AsyncParsableCommand {
  static let fullName = "trace replay"

  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay a recorded trace against eviction orders.",
    discussion: """
      Demand fill from a cold start; every policy faces the same trace.

      OPERATIONS
        get     a read: a hit if a copy is there that has not expired and is not
                known to be stale; else a miss: it is fetched, and kept
        set     a write by the cache's own client: the copy takes the new value,
                size and lifetime and counts as used, or is made; no hit, no miss
        update  a write by another client: a copy becomes stale. With --updates
                invalidate the cache is notified, and the next get is a coherence
                miss; with unseen the copy is served, and counted as a stale hit
        delete  the entity is gone: a copy is removed, the key as if never seen

      MISSES, one cause each
        compulsory  the key had not been read or written before, or not since its
                    deletion
        coherence   a copy was there, and known to be stale
        expired     a copy was there, past its lifetime, which hits do not renew
        capacity    a copy had been there, and was evicted

      Requests, hits and misses count gets. With capacities in entities every
      entity weighs one; in bytes it weighs its size, at least 1, and an entity
      larger than the cache is not kept. With operations, lifetimes or bytes,
      bounds that know the future are estimates.

      EXAMPLES
        tidemark trace replay keys.txt --trace-format text --policies lru,sieve \\
          --capacities 100,1%
        tidemark trace replay requests.csv --trace-format csv --policies lru,gdsf \\
          --capacities 64MiB
        xz -dc trace.xz | tidemark trace replay - --trace-format be32 --policies lru \\
          --capacities 5000
        tidemark trace replay --expected-misses table.csv --traces folder
      """)

  @Argument(help: ArgumentHelp("Read this trace, or - for standard input.", valueName: "TRACE"))
  var trace: String?

  @OptionGroup var input: TraceInput

  @Option(
    help: ArgumentHelp(
      """
      Run these eviction orders, each alone or with an admission (lru+tinylfu), separated by commas; \
      default: all.
      """, valueName: "a,b"))
  var policies: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Use these capacities, in entities, in percent of the distinct keys, or in bytes.",
      valueName: "100,1%,64MiB"))
  var capacities: String?

  @OptionGroup var rules: ReplayRuleOptions

  @Option(
    help: ArgumentHelp(
      "Check a table (trace,policy,cache_size,requests,misses) of known results, instead.",
      valueName: "TABLE"))
  var expectedMisses: String?

  @Option(
    help: ArgumentHelp(
      "Read the table's traces (.trace.gz, .trace.xz) from this folder; needs gzip and xz.",
      valueName: "DIR"))
  var traces: String?

  @Option(help: "Seed the eviction orders that draw.")
  var seed: UInt64 = 1

  @Flag(help: "Add requests_per_second, which varies between runs.")
  var timing = false

  @OptionGroup var result: TableOutput

  func run() async throws {
    if let expectedMisses {
      guard let traces, trace == nil, policies == nil, capacities == nil, result.output == "-"
      else {
        throw CommandFailure(
          .input, "--expected-misses takes --traces, the folder of its traces, and nothing else")
      }
      try await MissCheck(table: expectedMisses, folder: traces).run()
      return
    }
    guard traces == nil else {
      throw CommandFailure(
        .input, "--traces goes with --expected-misses TABLE; add that, or omit it")
    }
    guard let trace else {
      throw CommandFailure(
        .input,
        "a trace is needed: a path, or - for standard input; see tidemark trace replay --help")
    }
    let form = try input.format()
    guard let capacities else {
      throw CommandFailure(
        .input, "capacities are needed: --capacities 100,1%,64MiB; see tidemark trace replay --help"
      )
    }
    try OutputFile.check(result.output, reading: [trace])
    let orders = try Self.orders(policies)
    let requests = try CapacityRequest.parseList(capacities)
    let options = try rules.options()
    var reading = try input.readingOptions()
    reading.wantsTimesAlone = options.timeToLive != nil
    if !requests.contains(where: \.isInBytes) { reading.columns.remove(.weights) }
    let clock = ContinuousClock()
    let start = clock.now
    let interned = try TraceInput.read(
      trace, format: form, options: reading, command: Self.fullName)
    let readingTime = start.duration(to: clock.now)
    let cells = try Replay.cells(
      for: interned, policies: orders, capacities: requests, options: options)
    let resident = timing ? ProcessMemory.resetPeak() : nil
    let report = ReplayReport(
      rows: timing
        ? timed(cells, of: interned)
        : await Replay.run(
          cells, of: interned, seed: seed,
          width: ProcessInfo.processInfo.activeProcessorCount
        ).map { ($0, nil) })
    try OutputFile.write(report.bytes(result.format), to: result.output)
    if timing { Self.note(interned, readingTime, residentBefore: resident) }
  }

  /// Prints the additional time and memory besides the replay itself.
  private static func note(
    _ trace: InternedTrace, _ readingTime: Duration, residentBefore: Int?
  ) {
    let lines = Double(trace.ids.count)
    let seconds = readingTime / .seconds(1)
    let perLine = HumanNumber.fixed(Double(trace.bytes) / lines, decimals: 1)
    let tables =
      if let residentBefore, let peak = ProcessMemory.peak() {
        Self.memory(Double(max(0, peak - residentBefore)), perKeyOf: trace)
      } else { "unknown here" }
    Console.note(
      """
      read and numbered \(trace.ids.count) requests of \(trace.distinct) keys in \
      \(HumanNumber.duration(nanoseconds: seconds * 1e9)) \
      (\(HumanNumber.fixed(lines / seconds / 1e6, decimals: 1)) million requests/s)
      memory of the trace: \(HumanNumber.bytes(Double(trace.bytes))), \(perLine) B per request; \
      of a replay, where it took most: \(tables)
      """)
  }

  /// Returns the memory per key for large traces only: the system counts in pages, and a first replay loads
  /// code.
  private static func memory(_ bytes: Double, perKeyOf trace: InternedTrace) -> String {
    guard trace.distinct >= 100_000 else { return HumanNumber.bytes(bytes) }
    let perKey = HumanNumber.fixed(bytes / Double(trace.distinct), decimals: 1)
    return "\(HumanNumber.bytes(bytes)), \(perKey) B per key"
  }

  /// Runs sequentially, so that no run slows another one down.
  private func timed(
    _ cells: [Replay.Cell], of trace: InternedTrace
  ) -> [(ReplayRow, Double?)] {
    let clock = ContinuousClock()
    return cells.map { cell in
      let start = clock.now
      let row = Replay.run(cell, of: trace, seed: seed)
      let seconds = start.duration(to: clock.now) / .seconds(1)
      return (row, seconds > 0 ? Double(row.counts.requests) / seconds : nil)
    }
  }

  static func orders(_ names: String?) throws -> [EvictionPolicyDescriptor] {
    guard let names else { return EvictionPolicies.all }
    return try PolicyNames.list(names).map(order)
  }

  static func order(_ name: String) throws -> EvictionPolicyDescriptor {
    if let order = EvictionPolicies.named(name) { return order }
    let parts = name.split(
      separator: EvictionPolicyDescriptor.admissionSeparator, maxSplits: 1,
      omittingEmptySubsequences: false
    ).map(String.init)
    let orders = EvictionPolicies.all.map(\.name)
    guard parts.count == 2, orders.contains(parts[0]) else {
      let suggestion = Suggestion.text(for: parts[0], among: orders)
      throw CommandFailure(.input, "no eviction order is called \"\(parts[0])\"; \(suggestion)")
    }
    guard AdmissionPolicies.named(parts[1]) != nil else {
      let suggestion = Suggestion.text(
        for: parts[1], among: AdmissionPolicies.all.map(\.name))
      throw CommandFailure(.input, "no admission is called \"\(parts[1])\"; \(suggestion)")
    }
    throw CommandFailure(
      .input,
      "\(parts[0]) is a bound and composes with no admission; name it alone, or another order")
  }
}
