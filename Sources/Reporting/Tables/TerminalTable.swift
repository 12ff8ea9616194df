import Text

struct TerminalTable {
  struct Column {
    var title: String
    var alignment: TextTable.Alignment
    /// The texts by row.
    var texts: [String]
    var tones: [Tone]
    /// The lines of each cell, by row.
    private(set) var cells: [[String]]

    init(title: String, alignment: TextTable.Alignment, texts: [String], tones: [Tone]) {
      self.title = title
      self.alignment = alignment
      self.texts = texts
      self.tones = tones
      cells = texts.map { [$0] }
    }

    var width: Int { max(title.count, cells.joined().map(\.count).max() ?? 0) }

    /// The minimum width without breaking a word.
    var leastWidth: Int {
      guard alignment == .left else { return width }
      return max(title.count, texts.map(WrappedText.longestPart).max() ?? 0)
    }

    mutating func wrap(to width: Int) {
      cells = texts.map { WrappedText.lines($0, width: width) }
    }
  }

  /// The spaces between two columns.
  private static let gap = 2
  /// The minimum width to which text columns are narrowed.
  private static let leastTextWidth = 20

  /// The indentation of text below a row.
  private static let belowIndent = 4

  private var columns: [Column]
  private var headings: [Int: String] = [:]
  /// The text below each row.
  private var below: Column?

  init(_ table: TextTable, tightening: Bool = false) {
    headings = table.headings
    columns = table.columns.enumerated().map { index, column in
      Column(
        // A name from a file must not move the cursor or change the direction of text.
        title: column.title.legible, alignment: column.alignment,
        texts: table.rows.map { row in
          let text = row[index].text.legible
          return tightening ? text.replacing(" ± ", with: "±") : text
        }, tones: table.rows.map { $0[index].tone })
    }
  }

  var width: Int {
    columns.reduce(0) { $0 + $1.width } + Self.gap * max(0, columns.count - 1)
  }

  /// Returns the table with lines within a width, in one part if possible.
  func fitted(to available: Int) -> [TerminalTable] {
    let wrapped = wrapped(to: available)
    if wrapped.width <= available { return [wrapped] }
    // Only text reads well below its row.
    if columns.count > 2, let last = columns.last, last.alignment == .left {
      var others = TerminalTable(columns: columns.dropLast(), headings).wrapped(to: available)
      if others.width <= available {
        others.below = last
        others.below?.wrap(to: available - Self.belowIndent)
        return [others]
      }
    }
    return wrapped.parts(of: available)
  }

  /// Returns the table with text wrapped between words, the widest column first, as far as needed.
  private func wrapped(to available: Int) -> TerminalTable {
    var table = self
    while table.width > available {
      let candidates = table.columns.indices.filter {
        table.columns[$0].width > max(table.columns[$0].leastWidth, Self.leastTextWidth)
      }
      guard let widest = candidates.max(by: { table.columns[$0].width < table.columns[$1].width })
      else { break }
      let column = table.columns[widest]
      // At most to the next widest, so that space is shared.
      let others = candidates.filter { $0 != widest }.map { table.columns[$0].width }
      let excess = table.width - available
      let shared = max(others.max() ?? 0, column.width - excess)
      let target = max(
        column.leastWidth, Self.leastTextWidth, shared < column.width ? shared : column.width - 1)
      table.columns[widest].wrap(to: target)
    }
    return table
  }

  /// Returns the table in parts that fit, each with the first columns, which identify the row.
  private func parts(of available: Int) -> [TerminalTable] {
    var key = TerminalTable(columns: columns.prefix(1), headings)
    for column in columns.dropFirst().prefix(while: { $0.alignment == .left }) {
      guard key.width + Self.gap + column.width <= available / 2 else { break }
      key.columns.append(column)
    }
    var parts: [TerminalTable] = []
    var part = key
    for column in columns.dropFirst(key.columns.count) {
      if part.columns.count > key.columns.count, part.width + Self.gap + column.width > available {
        parts.append(part)
        part = key
      }
      part.columns.append(column)
    }
    return parts + [part]
  }

  private init(columns: some Sequence<Column>, _ headings: [Int: String]) {
    self.columns = Array(columns)
    self.headings = headings
  }

  func text(style: TextStyle, indent: Int) -> String {
    let widths = columns.map(\.width)
    let margin = String(repeating: " ", count: indent)
    let inset = String(repeating: " ", count: Self.belowIndent)
    var lines = [line(columns.map { ($0.title, .plain) }, widths, style: .plain)]
    if let below { lines.append(inset + below.title) }
    lines.append(
      widths.map { String(repeating: "─", count: $0) }.joined(
        separator: String(repeating: " ", count: Self.gap)))
    for row in columns.first?.cells.indices ?? 0..<0 {
      if let heading = headings[row] { lines.append(style.paint(heading, .strong)) }
      for part in 0..<(columns.map { $0.cells[row].count }.max() ?? 0) {
        let cells = columns.map { column in
          let own = column.cells[row]
          return (part < own.count ? own[part] : "", column.tones[row])
        }
        lines.append(line(cells, widths, style: style))
      }
      if let below {
        lines += below.cells[row].filter { !$0.isEmpty }
          .map { inset + style.paint($0, below.tones[row]) }
      }
    }
    return lines.map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n") + "\n"
  }

  private func line(
    _ cells: [(text: String, tone: Tone)], _ widths: [Int], style: TextStyle
  ) -> String {
    var text = ""
    // Spaces are written only before further text, so that no line ends with any.
    var owed = 0
    for (index, cell) in cells.enumerated() {
      // One column per character: correct for Latin text and the symbols in reports.
      let padding = widths[index] - cell.text.count
      if columns[index].alignment == .right { owed += padding }
      if !cell.text.isEmpty {
        text += String(repeating: " ", count: owed) + style.paint(cell.text, cell.tone)
        owed = 0
      }
      if columns[index].alignment == .left { owed += padding }
      owed += Self.gap
    }
    return text
  }
}
