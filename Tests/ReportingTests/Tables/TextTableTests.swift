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

  @Test("a text longer than a line is broken between words")
  func wrapped() {
    var table = TextTable(columns: [
      TextTable.Column("scenario"), TextTable.Column("by"), TextTable.Column("seeds", .right),
      TextTable.Column("but"),
    ])
    table.append([
      "notes-week", "0.3 ± 0.3 points before hyperbolic", "10", "by waiting: lru; by bytes: lru",
    ])
    table.append(["pull-only", "equivalent", "9", ""])
    expectSnapshot(
      table.terminal(style: .plain, width: 60),
      """
      scenario    by                 seeds  but
      ──────────  ─────────────────  ─────  ───────────────────
      notes-week  0.3±0.3 points        10  by waiting: lru; by
                  before hyperbolic         bytes: lru
      pull-only   equivalent             9

      """)
  }

  @Test("columns that do not fit continue below, next to the first")
  func continued() {
    var table = TextTable(
      columns: [TextTable.Column("scenario")]
        + ["lru", "refcount", "spacedrive"].map { TextTable.Column($0, .right) })
    table.append(["file-browser", "84.7 ± 0.6", "85.4 ± 0.5", "63.9 ± 0.3"])
    expectSnapshot(
      table.terminal(style: .plain, indent: 1, width: 35),
      """
       scenario           lru  refcount
       ────────────  ────────  ────────
       file-browser  84.7±0.6  85.4±0.5

       scenario      spacedrive
       ────────────  ──────────
       file-browser    63.9±0.3

      """)
  }

  @Test("no table is wider than a terminal, however many columns it has", arguments: 1...12)
  func width(columns: Int) {
    var table = TextTable(
      columns: [TextTable.Column("name")]
        + (0..<columns).map { TextTable.Column("column-\($0)", .right) }
        + [TextTable.Column("a text")])
    table.append(
      ["x"] + (0..<columns).map { "\($0 * 1_000) ± 1" }
        + [String(repeating: "several words ", count: 20) + "end"])
    let lines = table.terminal(style: .plain, indent: 2).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= TextStyle.usualWidth })
    #expect(lines.joined(separator: " ").contains("end"))
  }

  @Test(
    "a name cannot command the terminal or turn the direction of writing: marks are shown by number"
  )
  func controlCharacters() {
    var table = TextTable(columns: [TextTable.Column("scenario")])
    table.append(["a\u{1B}[2Jb\u{7}\n\u{202E}\u{200B}"])
    expectSnapshot(
      table.terminal(style: .plain),
      """
      scenario
      ─────────────────────────────────────
      a\\u{1B}[2Jb\\u{7}\\u{A}\\u{202E}\\u{200B}

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
