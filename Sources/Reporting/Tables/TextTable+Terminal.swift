extension TextTable {
  /// The table with aligned columns, two spaces apart, a rule under the titles, no trailing spaces.
  package func terminal(style: TextStyle, indent: Int = 0) -> String {
    let titles = columns.map { Cell($0.title) }
    let widths = columns.indices.map { column in
      ([titles] + rows).map { Self.width(Self.visible($0[column].text)) }.max() ?? 0
    }
    let margin = String(repeating: " ", count: indent)
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
    var lines = [margin + line(titles, widths: widths, style: .plain), margin + rule]
    lines += rows.map { margin + line($0, widths: widths, style: style) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ cells: [Cell], widths: [Int], style: TextStyle) -> String {
    var text = ""
    // Spaces are owed until something follows them, so that no line ends in any.
    var owed = 0
    for (index, cell) in cells.enumerated() {
      let visible = Self.visible(cell.text)
      let padding = widths[index] - Self.width(visible)
      if columns[index].alignment == .right { owed += padding }
      if !visible.isEmpty {
        text += String(repeating: " ", count: owed) + style.paint(visible, cell.tone)
        owed = 0
      }
      if columns[index].alignment == .left { owed += padding }
      owed += 2
    }
    return text
  }

  /// One column per character: right for Latin text and the symbols that reports use.
  private static func width(_ text: String) -> Int { text.count }

  /// A name from a file must not move the cursor or ring the bell.
  private static func visible(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}
