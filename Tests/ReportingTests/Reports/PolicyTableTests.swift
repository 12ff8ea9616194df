import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Table of policies")
struct PolicyTableTests {
  /// One reads half of all fresh and waits for 50 ms, one nine of ten and 10 ms.
  private static let rows =
    SampleRows.policy("slow", hit: 0.5, fresh: 0.5, bytes: 1, weight: 1)
    + SampleRows.policy("unbounded", hit: 1, fresh: 1, bytes: 1, weight: 1)
    + SampleRows.policy("quick", hit: 0.9, fresh: 0.9, bytes: 1, weight: 1)

  private static func order(by rule: Goal) -> [String] {
    let verdict = VerdictTextTests.verdict(
      [
        .init(name: "slow", fresh: 500, wait: 50_000_000),
        .init(name: "quick", fresh: 900, wait: 10_000_000),
      ], rule: rule)
    let table = PolicyTable.table(
      of: ScenarioVerdict(scenario: "file-browser", verdict: verdict), rows: rows)
    return table.rows.map { $0[0].text }
  }

  @Test("contenders are ordered by the objective, the best first, in either direction")
  func order() {
    #expect(Self.order(by: .freshReads()) == ["quick", "slow", "unbounded"])
    #expect(Self.order(by: Goal(.minimise, .readWait)) == ["quick", "slow", "unbounded"])
    #expect(Self.order(by: Goal(.maximise, .readWait)) == ["slow", "quick", "unbounded"])
  }

  @Test("an exceeded limit is printed with its unit")
  func exceeded() throws {
    let rows = Self.rows.map { row in
      guard row.policy == "quick", row.metric == .overLimit else { return row }
      var over = row
      over.value = .real(2.4)
      return over
    }
    func cells(_ limits: [String: String]) -> [String] {
      let table = PolicyTable.table(
        of: ScenarioVerdict(scenario: "file-browser", verdict: nil, exceededLimits: limits),
        rows: rows)
      return table.rows.compactMap { $0.last?.text }
    }
    #expect(cells(["quick": "queries"]) == ["", "2.40 × queries", ""])
    #expect(cells([:]) == ["", "2.40 ×", ""])
  }

  @Test("failed reads have a column where there are any, and 80 columns hold all")
  func failed() throws {
    func table(_ rows: [ResultRow]) -> TextTable {
      PolicyTable.table(of: ScenarioVerdict(scenario: "file-browser", verdict: nil), rows: rows)
    }
    func failed(_ policy: String, _ count: Int64) -> ResultRow {
      ResultRow(
        scenario: "file-browser", policy: policy, seed: 7, class: "all", metric: .failed,
        value: .integer(count))
    }
    let none = Self.rows + [failed("slow", 0), failed("quick", 0)]
    #expect(!table(none).columns.contains { $0.title == "failed" })
    // One in 10,000 would be shown as 0.0 %.
    let few =
      Self.rows
      + [failed("slow", 0)].map { row in
        var row = row
        row.value = .real(0.1)
        return row
      }
    #expect(!table(few).columns.contains { $0.title == "failed" })
    let some = Self.rows + [failed("slow", 25), failed("quick", 0)]
    let column = try #require(table(some).columns.firstIndex { $0.title == "failed" })
    #expect(table(some).rows.map { $0[column].text } == ["2.5 %", "", ""])
    let legend = PolicyTable.legend(of: [table(some)], isOpen: false).map(\.name)
    #expect(legend == table(some).columns.dropFirst().map(\.title))
    let lines = table(some).terminal(style: .plain, indent: 2).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test("± is half of the interval, in both tables of fresh reads")
  func halfWidth() {
    var row = ResultRow(
      scenario: "s", policy: "lru", seed: nil, class: "all", metric: .freshHitRatio,
      value: .real(0.807))
    row.confidenceInterval = 0.803...0.811
    #expect(FreshReadsTable.table(of: ["lru"], rows: [row]).rows[0][1].text == "80.7 ± 0.4")
    #expect(PolicyFigures(of: "lru", [row]).ratio(.freshHitRatio) == "80.7 ± 0.4 %")
  }
}

@Suite("Catalogue of metrics")
struct MetricCatalogueTests {
  @Test("every metric of the registry is listed once, in both forms")
  func complete() throws {
    let names = MetricRegistry.all.map(\.name)
    #expect(MetricCatalogue.table().rows.compactMap { $0.first?.text } == names)
    let json = String(decoding: try MetricCatalogue.json(), as: UTF8.self)
    for name in names {
      #expect(json.split(separator: "\"name\": \"\(name)\",").count == 2, "\(name)")
    }
  }
}
