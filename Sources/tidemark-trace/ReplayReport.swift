import ArgumentParser
import CommandLineInterface
import EvictionPolicies
import Foundation
import Reporting
import Text
import TraceReplay

/// The rows of a replay in all output formats.
struct ReplayReport {
  var rows: [(row: ReplayRow, requestsPerSecond: Double?)]

  private var isTimed: Bool { rows.contains { $0.requestsPerSecond != nil } }

  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv:
      try CSVWriter.table(
        of: rows.map { row, perSecond in
          members(row, isTimed ? perSecond.map { .integer(Int64($0)) } ?? .null : nil)
        })
    case .json:
      try JSONWriter.document(
        .array(rows.map { .object(members($0.row, $0.requestsPerSecond.map { .real($0) })) }))
    case .table: Console.legible(table.terminal(style: Console.style))
    }
  }

  private var columns: [String] {
    (rows.first?.row.values.map(\.column) ?? []) + (isTimed ? ["requests_per_second"] : [])
  }

  private func members(_ row: ReplayRow, _ perSecond: JSONValue?) -> [JSONMember] {
    var members = row.values.map { JSONMember($0, $1) }
    if let perSecond { members.append(JSONMember("requests_per_second", perSecond)) }
    return members
  }

  /// The table for people: the causes of misses if there are any, without the counts behind them.
  private var table: TextTable {
    let ofReads = rows.allSatisfy { $0.row.operations == nil }
    let columns = columns.filter { column in
      if Self.details.contains(column) { return false }
      if Self.ofOperations.contains(column) { return !ofReads }
      return !Self.causes.contains(column)
        || rows.contains { row in
          row.row.values.contains {
            $0.column == column && $0.value != .integer(0) && $0.value != .null
          }
        }
    }
    var table = TextTable(
      columns: columns.enumerated().map { .init($1, $0 < 2 ? .left : .right) })
    for (row, perSecond) in rows {
      table.append(columns.map { column in text(column, row, perSecond) })
    }
    return table
  }

  private func text(_ column: String, _ row: ReplayRow, _ perSecond: Double?) -> String {
    switch row.values.first(where: { $0.column == column })?.value {
    case .string(let text): column == "policy" && row.isEstimate ? text + " (estimate)" : text
    case .number(_, let count): HumanNumber.count(Double(count))
    case .real(let ratio): HumanNumber.percent(ratio)
    case nil where column == "requests_per_second":
      perSecond.map { HumanNumber.count($0.rounded()) } ?? ""
    default: ""
    }
  }

  private static let causes = [
    "compulsory_misses", "capacity_misses", "coherence_misses", "expired_misses", "stale_hits",
    "rejections",
  ]
  private static let ofOperations = ["capacity_unit", "byte_hit_ratio"]
  private static let details = [
    "sets", "updates", "deletes", "invalidations", "deletions", "bytes_requested", "bytes_missed",
    "estimate",
  ]
}

struct ReplayRuleOptions: ParsableArguments {
  @Option(help: "Let an update invalidate a copy, or go unseen (the copy is served, stale).")
  var updates: ReplayRules.Updates = .invalidate

  @Option(
    help: ArgumentHelp(
      "Limit the life of copies without a lifetime in the trace; default: forever.",
      valueName: "300s"))
  var timeToLive: String?

  @Option(
    help: ArgumentHelp(
      "Assume this time between requests in a trace without times, for lifetimes.",
      valueName: "1ms"))
  var requestInterval: String?

  func options() throws -> Replay.Options {
    Replay.Options(
      updates: updates,
      timeToLive: try timeToLive.map { try Self.nanoseconds($0, of: "--time-to-live") },
      interval: try requestInterval.map { try Self.nanoseconds($0, of: "--request-interval") })
  }

  private static let century: Int64 = 36_500 * 86_400 * 1_000_000_000

  private static func nanoseconds(_ text: String, of option: String) throws -> Int64 {
    try Dimension.duration.whole(text, of: option, in: 1...century)
  }
}

extension ReplayRules.Updates: ExpressibleByArgument {}

/// Replays every row of a table of known results, and reports differences.
struct MissCheck {
  var table: String
  var folder: String

  private static let tableLimit = 1 << 26

  func run() async throws {
    guard FileKind.of(folder) == .directory else {
      throw CommandFailure(
        .input, "--traces \(folder): no such folder; name the one with the traces")
    }
    let expected: ExpectedMisses
    do {
      expected = try ExpectedMisses(csv: try InputFile.read(table, limit: Self.tableLimit))
    } catch let error as TraceError {
      throw CommandFailure(.input, "\(table): \(error)")
    }
    let progress = ProgressLine("replay")
    let report = try await expected.check(
      width: ProcessInfo.processInfo.activeProcessorCount
    ) { source in
      progress.report(source.name)
      return try load(source)
    }
    progress.end()
    for mismatch in report.mismatches { Console.note("mismatch: \(mismatch)") }
    for missing in report.missingTraces {
      Console.note(
        "no trace for \(missing.rows) row\(missing.rows == 1 ? "" : "s") of \(missing.name)")
    }
    let skipped = report.unknownPolicies.map { "\($0.name) \($0.rows)" }.joined(separator: ", ")
    try Console.write(
      "rows checked: \(report.checked), mismatches: \(report.mismatches.count)"
        + (skipped.isEmpty ? "" : "; not checked, no such order here: \(skipped)") + "\n")
    if !report.passes { throw CommandFailure(.failed) }
  }

  /// Decompresses a trace with the system's tools; `nil` without the file.
  private func load(_ source: TraceSource) throws -> InternedTrace? {
    let path = URL(fileURLWithPath: folder).appendingPathComponent(source.fileName).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [source.compression.rawValue, "-dc", path]
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      throw CommandFailure(.input, "\(path): \(SystemReason.text(of: error))")
    }
    let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandFailure(
        .input,
        "\(path): `\(source.compression.rawValue) -dc` failed; install it, or check the file")
    }
    guard let format = TraceFormats.named(source.format) else { return nil }
    do {
      let start = format.isText ? try ByteOrderMark.length(in: bytes.prefix(ByteOrderMark.most)) : 0
      return try TraceReader.read(Array(bytes[start...]), format: format, name: source.name)
    } catch {
      throw CommandFailure(.input, "\(path): \(error)")
    }
  }
}
