import ResultModel
import Testing
import Text

@testable import Reporting

@Suite("The trend over commits")
struct TrendTests {
  private static func table() -> TrendTable {
    var table = TrendTable()
    table.add(
      commit: "aaa", date: "2026-01-30",
      figures: [("fresh_hit_ratio/grid/lru", 0.5), ("fresh_hit_ratio/grid/ttl", 0.25)])
    table.add(
      commit: "bbb", date: "2026-01-31",
      figures: [
        ("fresh_hit_ratio/grid/lru", 0.4), ("instructions_per_event/single/", 6_069),
        ("fresh_hit_ratio/grid/ttl", 0.25),
      ])
    return table
  }

  @Test("A line is a commit, and what it does not have is empty")
  func text() throws {
    let bytes = try Self.table().csv()
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        commit,date,fresh_hit_ratio/grid/lru,fresh_hit_ratio/grid/ttl,instructions_per_event/single/
        aaa,2026-01-30,0.5,0.25,
        bbb,2026-01-31,0.4,0.25,6069.0

        """)
    #expect(try TrendTable.read(bytes) == Self.table())
  }

  @Test("A commit that comes again is replaced where it stands, and loses what it no longer has")
  func again() {
    var table = Self.table()
    table.add(commit: "aaa", date: "2026-02-01", figures: [("fresh_hit_ratio/grid/lru", 0.75)])
    #expect(table.lines.map(\.commit) == ["aaa", "bbb"])
    #expect(table.lines[0].cells == [0.75, nil, nil])
    #expect(table.lines[0].date == "2026-02-01")
  }

  @Test(
    "What is no trend is refused with its place",
    arguments: [
      ("a,b\n", "line 1"), ("commit,date,x,x\n", "two columns"),
      ("commit,date,x\na,b\n", "line 2"), ("commit,date,x\na,b,many\n", "line 2"),
      ("commit,date,x\na,b,nan\n", "line 2"),
    ])
  func refused(text: String, hint: String) {
    let error = #expect(throws: CSVError.self) { try TrendTable.read(Array(text.utf8)) }
    #expect(
      error?.description.contains(hint) == true, "\(error.map(String.init(describing:)) ?? "")")
  }

  @Test("Fresh hits are those over all seeds, and counts keep their class")
  func figures() {
    let rows = [(UInt64(1), 0.5), (2, 0.7)].map { seed, value in
      ResultRow(
        scenario: "grid", policy: "lru", seed: seed, class: .all, metric: .freshHitRatio,
        value: .real(value))
    }
    let counts = [
      ResultRow(
        scenario: "operations", policy: "", seed: 1, class: "single", metric: .instructionsPerEvent,
        value: .real(6_069))
    ]
    let figures = TrendTable.figures(of: SavedResults(folder: "x", rows: rows), counts: counts)
    #expect(
      figures.map(\.column) == ["fresh_hit_ratio/grid/lru", "instructions_per_event/single/"])
    #expect(figures.first.map { abs($0.value - 0.6) < 1e-12 } == true)
  }

  @Test("The page names what the last commit moved, and draws each group of figures once")
  func page() {
    let bytes = TrendPage(Self.table(), name: "trend<1>.csv").html()
    let html = String(decoding: bytes, as: UTF8.self)
    let outline = Outline(bytes)
    #expect(outline.faults == [])
    #expect(html.contains("<li>fresh_hit_ratio/grid/lru: 50.0 % → 40.0 %</li>"))
    #expect(!html.contains("<li>fresh_hit_ratio/grid/ttl"))
    #expect(outline.texts.count { $0 == "grid: fresh_hit_ratio" } == 2)
    #expect(html.contains("trend&lt;1&gt;.csv"))
  }

  @Test("One commit says that it is no trend yet")
  func single() {
    var table = TrendTable()
    table.add(commit: "aaa", date: "2026-01-30", figures: [("fresh_hit_ratio/grid/lru", 0.5)])
    let html = String(decoding: TrendPage(table, name: "t").html(), as: UTF8.self)
    #expect(html.contains("One commit is no trend"))
  }
}
