import Reporting
import TraceReplay

/// The rows of a replay in each form.
struct ReplayReport {
  var rows: [(row: ReplayRow, requestsPerSecond: Double?)]

  private var isTimed: Bool { rows.contains { $0.requestsPerSecond != nil } }

  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv: csv
    case .json:
      try JSONWriter.document(.array(rows.map { .object(members($0.row, $0.requestsPerSecond)) }))
    case .table: Array(table.terminal(style: Console.style).utf8)
    }
  }

  private var columns: [String] {
    (rows.first?.row.values.map(\.column) ?? []) + (isTimed ? ["requests_per_second"] : [])
  }

  private var csv: [UInt8] {
    var writer = CSVWriter()
    for column in columns { writer.plain(column) }
    writer.endLine()
    for (row, perSecond) in rows {
      for value in row.values.map(\.value) {
        switch value {
        case .text(let text): writer.text(text)
        case .count(let count): writer.plain(String(count))
        case .ratio(let ratio): writer.plain(ratio.map { "\($0)" } ?? "")
        case .none: writer.plain("")
        }
      }
      if isTimed { writer.plain(perSecond.map { String(Int64($0)) } ?? "") }
      writer.endLine()
    }
    return writer.bytes
  }

  private func members(_ row: ReplayRow, _ perSecond: Double?) -> [JSONMember] {
    var members = row.values.map { column, value in
      switch value {
      case .text(let text): JSONMember(column, .string(text))
      case .count(let count): JSONMember(column, .integer(Int64(count)))
      case .ratio(let ratio): JSONMember(column, ratio.map { .real($0) } ?? .null)
      case .none: JSONMember(column, .null)
      }
    }
    if let perSecond { members.append(JSONMember("requests_per_second", .real(perSecond))) }
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
            $0.column == column && $0.value != .count(0) && $0.value != .none
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
    case .text(let text):
      column == "policy" && row.isEstimate ? text + " (estimate)" : text
    case .count(let count): HumanNumber.count(Double(count))
    case .ratio(let ratio): ratio.map { HumanNumber.percent($0) } ?? ""
    case Optional.none where column == "requests_per_second":
      perSecond.map { HumanNumber.count($0.rounded()) } ?? ""
    case .some(.none), Optional.none: ""
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
