import CommandLineInterface
import Reporting
import Text
import TraceReplay

/// The rows of a replay in each form.
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

  /// For a person: the causes of misses where there are any, without the counts behind them.
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
