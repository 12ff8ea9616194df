import CacheModel
import CommandLineInterface
import EvictionPolicies
import Foundation
import Processes
import Reporting
import Text
import TraceReplay
import Workloads

/// How fast policies replay one trace, one run at a time on one core.
///
/// Timed is what the processor spends on it, so that a machine that does other things besides says
/// nearly the same as one that does not.
struct ReplayBenchmark {
  struct Row {
    /// The policy, or what else was timed.
    var subject: String
    /// In entities; `nil`: not of one capacity.
    var capacity: Int?
    var missRatio: Double?
    /// Of the fastest run, per second of processor time.
    var requestsPerSecond: Double
    /// What it should reach at least; `nil`: a row for comparison.
    var target: Double?
  }

  /// Requests per second that the loop should reach on one core of a server of today.
  static let targets: [(policy: String, perSecond: Double)] = [
    ("lru", 60e6), ("fifo", 120e6), ("sieve", 90e6), ("s3-fifo", 35e6), ("arc", 45e6),
    ("lfu", 35e6), ("w-tinylfu", 15e6), ("clairvoyant", 15e6),
  ]
  static let wholeCommandTarget = 20e6
  static let curveTarget = 10e6

  /// Where a trace is read from.
  struct File {
    var path: String
    var format: TraceFormat
    var options: ReadingOptions

    func read() throws -> InternedTrace {
      try TraceInput.read(path, format: format, options: options, command: nil)
    }
  }

  let file: File
  /// What was read.
  let trace: InternedTrace
  /// How often each is timed; the fastest run counts, since others only add to the time.
  let repetitions: Int

  /// A policy at a capacity, the trace being interned and the future known.
  func loop(_ cell: Replay.Cell, nextUses: [UInt32]) -> Row {
    var missRatio: Double?
    let perSecond = fastest {
      missRatio = Self.missRatio(Replay.run(cell, of: trace, nextUses: nextUses, seed: 1))
    }
    return Row(
      subject: cell.policy.name, capacity: cell.capacity, missRatio: missRatio,
      requestsPerSecond: perSecond,
      target: Self.targets.first { $0.policy == cell.policy.name }?.perSecond)
  }

  /// The loop with nothing to decide: everything fits, and a hit moves nothing.
  ///
  /// What is beyond this is what a policy costs.
  func control(_ fifo: EvictionPolicyDescriptor) -> Row {
    var row = loop(Replay.Cell(policy: fifo, capacity: trace.distinct), nextUses: [])
    row.subject = "(loop alone)"
    row.target = nil
    return row
  }

  /// The misses of LRU at every capacity, the trace being interned.
  func curve() -> Row {
    var depths = 0
    let perSecond = fastest { depths = LRUCurve(of: trace).depths.count }
    assert(depths == trace.distinct + 1)
    return Row(
      subject: "(exact lru curve)", requestsPerSecond: perSecond, target: Self.curveTarget)
  }

  /// Reading the file and numbering its keys.
  func reading() throws -> Row {
    let perSecond = try fastest { _ = try file.read() }
    return Row(subject: "(file to numbers)", requestsPerSecond: perSecond)
  }

  /// Reading, numbering, and one policy.
  func wholeCommand(_ cell: Replay.Cell) throws -> Row {
    var missRatio: Double?
    let perSecond = try fastest {
      missRatio = Self.missRatio(Replay.run(cell, of: try file.read(), seed: 1))
    }
    return Row(
      subject: "(file to result: \(cell.policy.name))", capacity: cell.capacity,
      missRatio: missRatio, requestsPerSecond: perSecond, target: Self.wholeCommandTarget)
  }

  private static func missRatio(_ row: ReplayRow) -> Double? {
    row.counts.requests > 0 ? Double(row.counts.misses) / Double(row.counts.requests) : nil
  }

  /// What ``LRU`` adds to the memory of the process at its peak when everything fits, per key.
  ///
  /// `nil` where the system does not say. To be asked before anything else is replayed: what an
  /// allocator holds back would be reused, and go uncounted.
  func bytesPerKey(_ lru: EvictionPolicyDescriptor) -> Double? {
    guard let before = ProcessMemory.resetPeak() else { return nil }
    _ = Replay.run(Replay.Cell(policy: lru, capacity: trace.distinct), of: trace, seed: 1)
    guard let peak = ProcessMemory.peak() else { return nil }
    return Double(max(0, peak - before)) / Double(trace.distinct)
  }

  private func fastest(_ body: () throws -> Void) rethrows -> Double {
    var best = Int64.max
    for _ in 0..<max(1, repetitions) {
      let start = ProcessorTime.now()
      try body()
      best = min(best, ProcessorTime.now() - start)
    }
    return Double(trace.ids.count) / Double(max(1, best)) * 1e9
  }
}

/// The rows of a benchmark of the replay loop in each form.
struct ReplayBenchmarkReport {
  var trace: InternedTrace
  var rows: [ReplayBenchmark.Row]
  /// Of the interned trace.
  var bytesPerRequest: Double
  /// Of the tables of a replay; `nil`: not known.
  var bytesPerKey: Double?

  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv: try CSVWriter.table(of: rows.map { members($0) { .integer(Int64($0)) } })
    case .json: try json
    case .table: Console.legible(text)
    }
  }

  private func members(
    _ row: ReplayBenchmark.Row, _ rate: (Double) -> JSONValue
  ) -> [JSONMember] {
    [
      JSONMember("policy", .string(row.subject)),
      JSONMember("capacity", row.capacity.map { .integer($0) } ?? .null),
      JSONMember("miss_ratio", row.missRatio.map { .real($0) } ?? .null),
      JSONMember("requests_per_second", rate(row.requestsPerSecond)),
      JSONMember("target", row.target.map(rate) ?? .null),
    ]
  }

  private var json: [UInt8] {
    get throws {
      try JSONWriter.document(
        .object([
          JSONMember("requests", .integer(trace.ids.count)),
          JSONMember("distinct_keys", .integer(trace.distinct)),
          JSONMember("bytes_per_request", .real(bytesPerRequest)),
          JSONMember("bytes_per_key", bytesPerKey.map { .real($0) } ?? .null),
          JSONMember("rows", .array(rows.map { .object(members($0, JSONValue.real)) })),
        ]))
    }
  }

  private var text: String {
    var table = TextTable(
      columns: [
        .init("policy", .left), .init("capacity", .right), .init("miss ratio", .right),
        .init("M requests/s", .right), .init("target", .right), .init("", .left),
      ])
    for row in rows {
      let isReached = row.target.map { row.requestsPerSecond >= $0 }
      table.append([
        row.subject, row.capacity.map { HumanNumber.count(Double($0)) } ?? "",
        row.missRatio.map { HumanNumber.percent($0) } ?? "",
        HumanNumber.fixed(row.requestsPerSecond / 1e6, decimals: 1),
        row.target.map { "≥ \(HumanNumber.fixed($0 / 1e6, decimals: 0))" } ?? "",
        isReached.map { $0 ? "reached" : "missed" } ?? "",
      ])
    }
    let keys = bytesPerKey.map { HumanNumber.fixed($0, decimals: 1) } ?? "unknown"
    return table.terminal(style: Console.style) + """

      \(HumanNumber.count(Double(trace.ids.count))) requests for \
      \(HumanNumber.count(Double(trace.distinct))) keys. \
      Memory: \(HumanNumber.fixed(bytesPerRequest, decimals: 1)) bytes per request (at most 4), \
      \(keys) bytes per key for lru with space for all (at most 40).

      """
  }
}

/// Traces of independent requests whose keys are popular by Zipf's law.
enum SyntheticTrace {
  /// Draws a trace and writes it as big-endian integers of 32 bits; the same seed draws the same on
  /// every machine.
  ///
  /// - Complexity: O(requests + keys).
  static func writeZipf(
    requests: Int, keys: Int, exponent: Double, seed: UInt64, to path: String
  ) throws {
    let zipf = Zipf(count: keys, exponent: exponent)
    var random = RandomSource(seed: seed).substream("synthetic-trace")
    let piece = 1 << 20
    do {
      try FileWriter.replace(path) { write in
        for start in stride(from: 0, to: requests, by: piece) {
          var bytes: [UInt8] = []
          bytes.reserveCapacity(4 * piece)
          for _ in start..<min(requests, start + piece) {
            withUnsafeBytes(of: UInt32(zipf.sample(&random)).bigEndian) {
              bytes.append(contentsOf: $0)
            }
          }
          try write(bytes)
        }
      }
    } catch {
      throw CommandFailure(.output, "\(path): \(error)")
    }
  }
}
