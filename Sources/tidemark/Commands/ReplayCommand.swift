import ArgumentParser
import CacheModel
import EvictionPolicies
import Foundation
import NormalizedCache
import Reporting
import TraceReplay

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay a recorded key trace against eviction orders.",
    discussion: """
      EXAMPLES
        tidemark replay keys.txt --trace-format text --policies lru,sieve --capacities 100,1%
        xz -dc trace.xz | tidemark replay - --trace-format be32 --policies lru --capacities 5000
        tidemark replay --expected-misses table.csv --traces folder
      """)

  @Argument(help: ArgumentHelp("A trace, or - for standard input.", valueName: "TRACE"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "The form of the trace; `tidemark list formats` describes each.", valueName: "NAME"))
  var traceFormat: String?

  @Option(
    help: ArgumentHelp(
      "Eviction orders, separated by commas; default: all.", valueName: "a,b"))
  var policies: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Capacities in entries, or in percent of the distinct keys.", valueName: "100,1%"))
  var capacities: String?

  @Option(
    help: ArgumentHelp(
      "Instead: check a table (trace,policy,cache_size,requests,misses) of known results.",
      valueName: "TABLE"))
  var expectedMisses: String?

  @Option(
    help: ArgumentHelp(
      "The folder of the table's traces (.trace.gz, .trace.xz); needs gzip and xz.",
      valueName: "DIR"))
  var traces: String?

  @Option(help: "The seed of eviction orders that draw.")
  var seed: UInt64 = 1

  @Flag(help: "Add requests_per_second, which is another on every run.")
  var timing = false

  @Option(help: "csv, json or table.")
  var format: ResultFormat = .table

  @Option(help: ArgumentHelp("A file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  func run() async throws {
    if let expectedMisses {
      guard let traces, trace == nil else {
        throw CommandFailure(
          .input, "--expected-misses takes --traces, the folder of its traces, and no trace")
      }
      try await MissCheck(table: expectedMisses, folder: traces).run()
      return
    }
    guard let trace, let traceFormat, let capacities else {
      throw CommandFailure(
        .input, "a trace, --trace-format and --capacities are needed; see tidemark replay --help")
    }
    try OutputFile.check(output)
    let orders = try Self.orders(policies)
    let requests = try CapacityRequest.parseList(capacities)
    let interned = try Self.read(trace, format: traceFormat)
    let cells = try Replay.cells(for: interned, policies: orders, capacities: requests)
    let report = ReplayReport(
      rows: timing
        ? timed(cells, of: interned)
        : await Replay.run(
          cells, of: interned, seed: seed,
          width: ProcessInfo.processInfo.activeProcessorCount
        ).map { ($0, nil) })
    try OutputFile.write(report.bytes(format), to: output)
  }

  /// One after the other, so that no run slows another down.
  private func timed(
    _ cells: [Replay.Cell], of trace: InternedTrace
  ) -> [(ReplayRow, Double?)] {
    let clock = ContinuousCacheClock()
    return cells.map { cell in
      let start = clock.now
      let row = Replay.run(cell, of: trace, seed: seed)
      let seconds = start.duration(to: clock.now) / .seconds(1)
      return (row, seconds > 0 ? Double(row.counts.requests) / seconds : nil)
    }
  }

  private static func orders(_ names: String?) throws -> [EvictionPolicyDescriptor] {
    guard let names else { return EvictionPolicies.all }
    return try names.split(separator: ",").map { name in
      guard let order = EvictionPolicies.named(String(name)) else {
        let suggestion = Suggestion.text(
          for: String(name), among: EvictionPolicies.all.map(\.name))
        throw CommandFailure(.input, "no eviction order is called \"\(name)\"; \(suggestion)")
      }
      return order
    }
  }

  static func read(_ path: String, format name: String) throws -> InternedTrace {
    guard let format = TraceFormats.named(name) else {
      let suggestion = Suggestion.text(for: name, among: TraceFormats.all.map(\.name))
      throw CommandFailure(.input, "no trace format is called \"\(name)\"; \(suggestion)")
    }
    let title =
      path == InputFile.standardInput ? "stdin" : URL(fileURLWithPath: path).lastPathComponent
    var reader = TraceReader(format: format, name: title)
    do {
      try InputFile.forEachChunk(of: path) { chunk throws(CommandFailure) in
        do throws(TraceError) {
          try reader.consume(chunk.span)
        } catch {
          throw CommandFailure(.input, "\(path): \(error)")
        }
      }
      return try reader.finish()
    } catch let error as TraceError {
      throw CommandFailure(.input, "\(path): \(error)")
    }
  }
}

/// The rows of a replay in each form.
struct ReplayReport {
  var rows: [(row: ReplayRow, requestsPerSecond: Double?)]

  private var isTimed: Bool { rows.contains { $0.requestsPerSecond != nil } }
  private var columns: [String] {
    ReplayRow.columns + (isTimed ? ["requests_per_second"] : [])
  }

  private func cells(_ row: ReplayRow, _ perSecond: Double?) -> [String] {
    row.cells + (isTimed ? [perSecond.map { String(Int64($0)) } ?? ""] : [])
  }

  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv: csv
    case .json:
      try JSONWriter.document(.array(rows.map { .object(members($0.row, $0.requestsPerSecond)) }))
    case .table: Array(table.terminal(style: Console.style).utf8)
    }
  }

  private var csv: [UInt8] {
    var writer = CSVWriter()
    for column in columns { writer.plain(column) }
    writer.endLine()
    for (row, perSecond) in rows {
      let cells = cells(row, perSecond)
      writer.text(cells[0])
      for cell in cells.dropFirst() { writer.plain(cell) }
      writer.endLine()
    }
    return writer.bytes
  }

  private func members(_ row: ReplayRow, _ perSecond: Double?) -> [JSONMember] {
    var members = [
      JSONMember("trace", .string(row.trace)), JSONMember("policy", .string(row.policy)),
      JSONMember("capacity", .integer(Int64(row.capacity))),
      JSONMember("requests", .integer(Int64(row.counts.requests))),
      JSONMember("hits", .integer(Int64(row.counts.hits))),
      JSONMember("misses", .integer(Int64(row.counts.misses))),
      JSONMember("hit_ratio", row.hitRatio.map { .real($0) } ?? .null),
      JSONMember("evictions", .integer(Int64(row.counts.evictions))),
    ]
    if let perSecond { members.append(JSONMember("requests_per_second", .real(perSecond))) }
    return members
  }

  private var table: TextTable {
    var table = TextTable(
      columns: columns.enumerated().map { .init($1, $0 < 2 ? .left : .right) })
    for (row, perSecond) in rows {
      var texts = cells(row, perSecond)
      texts[6] = row.hitRatio.map { HumanNumber.percent($0) } ?? ""
      table.append(texts)
    }
    return table
  }
}
