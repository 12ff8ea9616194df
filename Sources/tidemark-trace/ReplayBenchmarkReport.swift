import CommandLineInterface
import Reporting
import Text
import TraceReplay

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
