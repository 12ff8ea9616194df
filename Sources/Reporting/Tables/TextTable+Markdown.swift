extension TextTable {
  /// The table as GitHub's Markdown; a bar in a cell is escaped, a line break becomes a space.
  package func markdown() -> String {
    let rule = columns.map { $0.alignment == .right ? "---:" : "---" }
    let body = rows.map { row in row.map { Self.escaped($0.text) } }
    return ([columns.map { Self.escaped($0.title) }, rule] + body)
      .map { "| " + $0.joined(separator: " | ") + " |\n" }
      .joined()
  }

  /// A text that Markdown shows as it is in a cell.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "|", "\\": result += "\\" + String(scalar)
      case "\n", "\r": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
