package import ResultModel
package import Text

/// What the same figures came to, commit by commit: a CSV file with one line for each commit.
///
/// A figure that a commit does not have is an empty cell: nothing was measured, which is not zero.
package struct TrendTable: Hashable, Sendable {
  /// What one commit came to.
  package struct Line: Hashable, Sendable {
    package var commit: String
    /// As in `2026-01-31`.
    package var date: String
    /// One for each column.
    package var cells: [Double?]
  }

  /// The figures, as in `fresh_hit_ratio/file-browser/lru`.
  package private(set) var columns: [String] = []
  /// The oldest first.
  package private(set) var lines: [Line] = []

  private static let fixedColumns = ["commit", "date"]

  package init() {}

  /// The figures of a folder of results that are worth following: fresh hits, and all counts.
  ///
  /// - Parameters:
  ///   - results: of the folder.
  ///   - counts: the rows of its `counts.csv`; empty where it has none.
  /// - Returns: each with its column.
  package static func figures(
    of results: SavedResults, counts: [ResultRow]
  ) -> [(column: String, value: Double)] {
    let figures = SavedFigures(results.rows)
    var all: [(column: String, value: Double)] = []
    for scenario in results.scenarios {
      for policy in figures.policies(of: scenario) {
        guard let value = figures.value(scenario, policy, .freshHitRatio) else { continue }
        all.append(("\(Metric.freshHitRatio.name)/\(scenario)/\(policy)", value))
      }
    }
    for row in counts where row.statistic == .value {
      guard let value = row.value?.asDouble else { continue }
      all.append(("\(row.metric.name)/\(row.class)/\(row.policy)", value))
    }
    return all
  }

  /// Adds a commit behind the others; one that is there already is replaced where it stands.
  package mutating func add(
    commit: String, date: String, figures: [(column: String, value: Double)]
  ) {
    for figure in figures where !columns.contains(figure.column) { columns.append(figure.column) }
    for index in lines.indices {
      lines[index].cells += Array(repeating: nil, count: columns.count - lines[index].cells.count)
    }
    let byColumn = Dictionary(
      figures.map { ($0.column, $0.value) }, uniquingKeysWith: { first, _ in first })
    let line = Line(commit: commit, date: date, cells: columns.map { byColumn[$0] })
    if let known = lines.firstIndex(where: { $0.commit == commit }) {
      lines[known] = line
    } else {
      lines.append(line)
    }
  }

  package func csv() throws(NotFinite) -> [UInt8] {
    var writer = CSVWriter()
    for column in Self.fixedColumns + columns { writer.text(column) }
    writer.endLine()
    for line in lines {
      writer.text(line.commit)
      writer.text(line.date)
      for value in line.cells {
        writer.plain(
          try value.map { number throws(NotFinite) in try MachineNumber.text(number) } ?? "")
      }
      writer.endLine()
    }
    return writer.bytes
  }

  /// Reads what ``csv()`` wrote.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> TrendTable {
    var reader = try CSVReader(bytes)
    guard let header = try reader.next(), Array(header.cells.prefix(2)) == fixedColumns else {
      throw CSVError(line: 1, cause: .header(expected: "commit,date and a column for each figure"))
    }
    var table = TrendTable()
    table.columns = header.cells.dropFirst(2).map(CSVReader.unguarded)
    guard table.columns.distinct({ $0 }).count == table.columns.count else {
      throw CSVError(line: 1, cause: .content("a figure has two columns"))
    }
    while let record = try reader.next() {
      guard record.cells.count == header.cells.count else {
        throw CSVError(
          line: record.line,
          cause: .cellCount(found: record.cells.count, expected: header.cells.count))
      }
      var values: [Double?] = []
      for (column, cell) in zip(table.columns, record.cells.dropFirst(2)) {
        guard !cell.isEmpty else {
          values.append(nil)
          continue
        }
        guard let value = MachineNumber.value(cell)?.asDouble else {
          throw CSVError(
            line: record.line, cause: .cell(column: column, text: cell, expected: "a number"))
        }
        values.append(value)
      }
      table.lines.append(
        Line(
          commit: CSVReader.unguarded(record.cells[0]), date: CSVReader.unguarded(record.cells[1]),
          cells: values))
    }
    return table
  }
}
