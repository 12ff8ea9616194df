import Text

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
  /// Headings ahead of rows, by row index.
  private(set) var headings: [Int: String] = [:]

  package init(columns: [Column]) {
    self.columns = columns
  }

  /// - Precondition: there is one cell per column.
  package mutating func append(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "\(cells.count) cells, \(columns.count) columns")
    rows.append(cells)
  }

  package mutating func append(heading: String) {
    headings[rows.count] = heading
  }

  /// Returns the table without empty columns.
  package func withoutEmptyColumns() -> TextTable {
    let kept = columns.indices.filter { column in
      rows.contains { !$0[column].text.isEmpty }
    }
    var table = TextTable(columns: kept.map { columns[$0] })
    table.rows = rows.map { row in kept.map { row[$0] } }
    table.headings = headings
    return table
  }

  /// - Precondition: there is one cell per column.
  package mutating func append(_ texts: [String]) {
    append(texts.map { Cell($0) })
  }
}

extension TextTable {
  /// Returns the table as GitHub's Markdown, without headings; a bar in a cell is escaped, a line break
  /// becomes a space.
  package func markdown() -> String {
    let rule = columns.map { $0.alignment == .right ? "---:" : "---" }
    let body = rows.map { row in row.map { Self.escaped($0.text) } }
    return ([columns.map { Self.escaped($0.title) }, rule] + body)
      .map { "| " + $0.joined(separator: " | ") + " |\n" }
      .joined()
  }

  /// Returns a text escaped for a cell of Markdown.
  private static func escaped(_ text: String) -> String {
    let line = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    var result = ""
    for scalar in line.legible.unicodeScalars {
      if scalar == "|" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

extension TextTable {
  /// Returns the table with aligned columns, two spaces apart, a rule under the titles, and no trailing
  /// spaces.
  ///
  /// If a line would exceed `width` (by default the style's), in this order: `±` loses its spaces, text is
  /// wrapped, the text at the end of a row moves below it, or further columns continue below the table, next
  /// to the first ones again. A single column may still be wider.
  package func terminal(
    style: TextStyle, indent: Int = 0, width: Int? = nil
  ) -> String {
    let available = (width ?? style.width) - indent
    var table = TerminalTable(self)
    if table.width > available { table = TerminalTable(self, tightening: true) }
    let parts = table.fitted(to: available)
    return parts.map { $0.text(style: style, indent: indent) }.joined(separator: "\n")
  }
}
