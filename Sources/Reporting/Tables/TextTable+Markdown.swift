import Text

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
