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
