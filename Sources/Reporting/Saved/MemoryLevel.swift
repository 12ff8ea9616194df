package import ResultModel
package import Text

/// One figure of a policy whose cache was held to so much memory: a point of a curve.
package struct MemoryLevel: Hashable, Sendable {
  /// What the whole cache was allowed to take, in bytes.
  package let limit: Int
  package let row: ResultRow

  package init(limit: Int, row: ResultRow) {
    self.limit = limit
    self.row = row
  }

  /// The column behind those of the tidy form.
  private static let column = "memory_limit_bytes"

  /// Whether a row is of a figure that is drawn against memory.
  package static func shows(_ row: ResultRow) -> Bool {
    switch (row.metric, row.statistic, row.class) {
    case (.freshHitRatio, .value, .all), (.staleReadShare, .value, .all), (.readWait, .mean, .all),
      (.bytesFetched, .value, .total), (.bytesPushed, .value, .total),
      (.predictedBytes, .peak, .total):
      true
    default: false
    }
  }

  /// `memory-levels.csv`: the tidy form, and the limit of each row.
  package static func csv(_ levels: [MemoryLevel]) throws(ExportError) -> [UInt8] {
    try TidyTable.csv(
      levels.map(\.row),
      added: AddedColumns(names: [column], cells: levels.map { [String($0.limit)] }))
  }

  /// Reads what ``csv(_:)`` wrote.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> [MemoryLevel] {
    let contents = try TidyTable.read(bytes, added: [column])
    var levels: [MemoryLevel] = []
    for (index, row) in contents.rows.enumerated() {
      guard let limit = Int(contents.added[index][0]), limit >= 0 else {
        throw CSVError(
          line: index + 2,
          cause: .cell(
            column: column, text: contents.added[index][0], expected: "a number of bytes"))
      }
      levels.append(MemoryLevel(limit: limit, row: row))
    }
    return levels
  }
}
