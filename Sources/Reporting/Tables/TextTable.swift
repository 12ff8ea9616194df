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

extension TextTable {
  /// The table as GitHub's Markdown; a bar in a cell is escaped, a line break becomes a space.
  package func markdown() -> String {
    let rule = columns.map { $0.alignment == .right ? "---:" : "---" }
    let body = rows.map { row in row.map { Self.escaped($0.text) } }
    return ([columns.map { Self.escaped($0.title) }, rule] + body)
      .map { "| " + $0.joined(separator: " | ") + " |\n" }
      .joined()
  }

  /// A text that Markdown shows as it is in a cell, or by its numbers.
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
  /// The characters of a line that every terminal shows.
  package static let terminalWidth = 80

  /// The table with aligned columns, two spaces apart, a rule under the titles, no trailing spaces.
  ///
  /// Where a line would be longer than `width`, in this order: `±` loses its spaces, texts are wrapped, the
  /// text at the end of a row goes below it, or columns go on below the table, beside the first ones again.
  /// A single column may still be wider.
  package func terminal(
    style: TextStyle, indent: Int = 0, width: Int = terminalWidth
  ) -> String {
    let available = width - indent
    var table = TerminalTable(self)
    if table.width > available { table = TerminalTable(self, tightening: true) }
    let parts = table.fitted(to: available)
    return parts.map { $0.text(style: style, indent: indent) }.joined(separator: "\n")
  }
}

/// What a text in a report means for the reader.
package enum Tone: Sendable, CaseIterable {
  case plain
  case good
  case bad
  case doubtful
  case strong
}

/// Whether tones are shown by colour; the caller knows whether a terminal reads along.
package enum TextStyle: Sendable, CaseIterable {
  case plain
  case ansi

  /// A text of several lines, made fit for a terminal: besides the ends of lines and this style's own colours,
  /// what has no shape is shown by its number.
  package func legible(_ text: String) -> String {
    var shown = ""
    var plain = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    func end(with mark: String) {
      shown += String(plain).legible + mark
      plain = String.UnicodeScalarView()
    }
    while let scalar = rest.first {
      if scalar == "\n" {
        end(with: "\n")
        rest.removeFirst()
      } else if scalar == "\u{1B}",
        let mark = marks.first(where: { rest.starts(with: $0.unicodeScalars) })
      {
        end(with: mark)
        rest.removeFirst(mark.unicodeScalars.count)
      } else {
        plain.append(scalar)
        rest.removeFirst()
      }
    }
    end(with: "")
    return shown
  }

  /// What a text of this style may have a terminal do.
  private var marks: [String] {
    self == .ansi ? (Tone.allCases.compactMap(\.code) + ["0"]).map { "\u{1B}[\($0)m" } : []
  }

  package func paint(_ text: String, _ tone: Tone) -> String {
    guard self == .ansi, let code = tone.code else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}

extension Tone {
  /// The parameter of "select graphic rendition" (ECMA-48, 8.3.117).
  fileprivate var code: String? {
    switch self {
    case .plain: nil
    case .good: "32"
    case .bad: "31"
    case .doubtful: "33"
    case .strong: "1"
    }
  }
}
