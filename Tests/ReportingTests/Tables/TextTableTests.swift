import Testing

@testable import Reporting

@Suite("Text table")
struct TextTableTests {
  private var table: TextTable {
    var table = TextTable(columns: [
      TextTable.Column("policy"), TextTable.Column("fetched", .right), TextTable.Column("note"),
    ])
    table.append(["lru", "1.2 µs", ""])
    table.append([
      TextTable.Cell("w-tinylfu|x"), TextTable.Cell("12,300"), TextTable.Cell("met", tone: .good),
    ])
    return table
  }

  @Test("columns align, numbers to the right, no line ends in spaces")
  func terminal() {
    expectSnapshot(
      table.terminal(style: .plain, indent: 2),
      """
        policy       fetched  note
        ───────────  ───────  ────
        lru           1.2 µs
        w-tinylfu|x   12,300  met

      """)
  }

  @Test("colour changes no alignment, and is off unless asked for")
  func colour() {
    let painted = table.terminal(style: .ansi)
    #expect(painted.contains("\u{1B}[32mmet\u{1B}[0m"))
    let stripped = painted.replacing("\u{1B}[32m", with: "").replacing("\u{1B}[0m", with: "")
    #expect(stripped == table.terminal(style: .plain))
  }

  @Test("a name cannot command the terminal")
  func controlCharacters() {
    var table = TextTable(columns: [TextTable.Column("scenario")])
    table.append(["a\u{1B}[2Jb\u{7}\n"])
    expectSnapshot(
      table.terminal(style: .plain),
      """
      scenario
      ────────
      a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}

      """)
  }

  @Test("Markdown, with bars escaped")
  func markdown() {
    expectSnapshot(
      table.markdown(),
      #"""
      | policy | fetched | note |
      | --- | ---: | --- |
      | lru | 1.2 µs |  |
      | w-tinylfu\|x | 12,300 | met |

      """#)
  }
}
