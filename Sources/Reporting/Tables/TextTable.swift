/// A table for people, rendered for a terminal or as Markdown.
package struct TextTable: Sendable {
  package enum Alignment: Sendable {
    case left
    case right
  }

  package struct Column: Sendable {
    package let title: String
    package let alignment: Alignment

    package init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  package struct Cell: Sendable {
    package let text: String
    package let tone: Tone

    package init(_ text: String, tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }
  }

  package let columns: [Column]
  package private(set) var rows: [[Cell]] = []

  package init(columns: [Column]) {
    self.columns = columns
  }

  /// - Precondition: there is one cell per column.
  package mutating func append(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "\(cells.count) cells, \(columns.count) columns")
    rows.append(cells)
  }

  /// The table without the columns in which every cell is empty.
  package func withoutEmptyColumns() -> TextTable {
    let kept = columns.indices.filter { column in
      rows.contains { !$0[column].text.isEmpty }
    }
    var table = TextTable(columns: kept.map { columns[$0] })
    table.rows = rows.map { row in kept.map { row[$0] } }
    return table
  }

  /// - Precondition: there is one cell per column.
  package mutating func append(_ texts: [String]) {
    append(texts.map { Cell($0) })
  }
}
