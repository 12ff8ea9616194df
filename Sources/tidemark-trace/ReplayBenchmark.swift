import CacheModel
import CommandLineInterface
import EvictionPolicies
import Foundation
import Processes
import Reporting
import Text
import TraceReplay
import Workloads

/// The speed of replaying one trace, one run at a time on one core.
///
/// It measures processor time, so that the load of the machine has little effect.
struct ReplayBenchmark {
  struct Row {
    /// The policy, or another subject.
    var subject: String
    /// The capacity in entities; `nil`: none.
    var capacity: Int?
    var missRatio: Double?
    /// The rate of the fastest run, per second of processor time.
    var requestsPerSecond: Double
    /// The minimum rate; `nil`: a row for comparison.
    var target: Double?
  }

  /// The target rates of the loop on one core of a present-day server, in requests per second.
  static let targets: [(policy: String, perSecond: Double)] = [
    ("lru", 60e6), ("fifo", 120e6), ("sieve", 90e6), ("s3-fifo", 35e6), ("arc", 45e6),
    ("lfu", 35e6), ("w-tinylfu", 15e6), ("clairvoyant", 15e6),
  ]
  static let wholeCommandTarget = 20e6
  static let curveTarget = 10e6

  struct File {
    var path: String
    var format: TraceFormat
    var options: ReadingOptions

    func read() throws -> InternedTrace {
      try TraceInput.read(path, format: format, options: options, command: nil)
    }
  }

  let file: File
  let trace: InternedTrace
  /// The number of runs of each; the fastest counts, since interference only adds time.
  let repetitions: Int

  /// Measures a policy at a capacity, with an interned trace and known next uses.
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

  /// Measures the loop without a policy's work: everything fits, and a hit moves nothing.
  ///
  /// The difference is the cost of a policy.
  func control(_ fifo: EvictionPolicyDescriptor) -> Row {
    var row = loop(Replay.Cell(policy: fifo, capacity: trace.distinct), nextUses: [])
    row.subject = "(loop alone)"
    row.target = nil
    return row
  }

  /// Measures the misses of LRU at every capacity, with an interned trace.
  func curve() -> Row {
    var depths = 0
    let perSecond = fastest { depths = LRUCurve(of: trace).depths.count }
    assert(depths == trace.distinct + 1)
    return Row(
      subject: "(exact lru curve)", requestsPerSecond: perSecond, target: Self.curveTarget)
  }

  /// Measures reading the file and numbering its keys.
  func reading() throws -> Row {
    let perSecond = try fastest { _ = try file.read() }
    return Row(subject: "(file to numbers)", requestsPerSecond: perSecond)
  }

  /// Measures reading, numbering, and one policy.
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

  /// Returns the additional peak memory of the process for ``LRU`` if everything fits, per key.
  ///
  /// It is `nil` if the system has no figure. It must precede any other replay: memory that an allocator
  /// retains would be reused without being counted.
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

/// The rows of a benchmark of the replay loop in all output formats.
struct ReplayBenchmarkReport {
  var trace: InternedTrace
  var rows: [ReplayBenchmark.Row]
  var bytesPerRequest: Double
  /// The memory of a replay's tables; `nil`: unknown.
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

/// Traces of independent requests with Zipf-distributed popularity of keys.
enum SyntheticTrace {
  /// Generates a trace and writes it as big-endian integers of 32 bits; the same seed gives the same trace on
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
