import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("The trend over folders")
struct TrendPageTests {
  private static func folder(
    _ name: String, lru: Double, instructions: Double? = nil
  ) -> (results: SavedResults, counts: [ResultRow]) {
    let rows = [("lru", lru), ("ttl", 0.25)].map { policy, value in
      ResultRow(
        scenario: "grid", policy: policy, seed: 1, class: .all, metric: .freshHitRatio,
        value: .real(value))
    }
    let counts = instructions.map { value in
      ResultRow(
        scenario: "operations", policy: "", seed: 1, class: "single",
        metric: .instructionsPerEvent, value: .real(value))
    }
    return (SavedResults(folder: "nights/\(name)/", rows: rows), [counts].compactMap(\.self))
  }

  @Test("Fresh hits are those over all seeds, and counts keep their class")
  func figures() {
    let rows = [
      ResultRow(
        scenario: "grid", policy: "lru", seed: nil, class: .all, metric: .freshHitRatio,
        value: .real(0.6), sampleCount: 2)
    ]
    let figures = TrendPage.figures(
      of: SavedResults(folder: "x", rows: rows),
      counts: Self.folder("x", lru: 0, instructions: 6_069).counts)
    #expect(
      figures.map(\.column) == ["fresh_hit_ratio/grid/lru", "instructions_per_event/single/"])
    #expect(figures.first.map { abs($0.value - 0.6) < 1e-12 } == true)
  }

  @Test("The page names the last folder's changes, and draws each group of figures once")
  func page() {
    let bytes = TrendPage([
      Self.folder("a<1>", lru: 0.5), Self.folder("b", lru: 0.4, instructions: 6_069),
    ]).html()
    let html = String(decoding: bytes, as: UTF8.self)
    let outline = Outline(bytes)
    #expect(outline.faults == [])
    #expect(html.contains("What b moved"))
    #expect(html.contains("<li>fresh_hit_ratio/grid/lru: 50.0 % → 40.0 %</li>"))
    #expect(!html.contains("<li>fresh_hit_ratio/grid/ttl"))
    #expect(outline.texts.count { $0 == "grid: fresh_hit_ratio" } == 2)
    #expect(html.contains("nights/a&lt;1&gt;/"))
  }

  @Test("Another workload is not compared, and figures of one folder alone are listed")
  func notOfBoth() {
    func folder(_ name: String, _ think: String, _ policies: [(String, Double)])
      -> (results: SavedResults, counts: [ResultRow])
    {
      let rows = ["grid", "chat"].flatMap { scenario in
        policies.map { policy, value in
          ResultRow(
            scenario: scenario, policy: policy, seed: 1, class: .all, metric: .freshHitRatio,
            value: .real(value))
        }
      }
      var results = SavedResults(folder: "nights/\(name)/", rows: rows)
      results.run = SavedRun(
        Manifest(
          schemaVersion: ResultSchema.version, programVersion: "1", command: [], seeds: [1],
          contenders: [],
          scenarios: [
            ScenarioIdentity(scenario: "grid", workload: [.init("users.think", think)]),
            ScenarioIdentity(scenario: "chat", workload: []),
          ], startedAt: "2026-01-31", elapsedSeconds: 1, host: [], toolchain: []))
      return (results, [])
    }
    let html = String(
      decoding: TrendPage([
        folder("a", "1 s", [("lru", 0.5), ("ttl", 0.25)]),
        folder("b", "2 s", [("lru", 0.4), ("arc", 0.3)]),
      ]).html(), as: UTF8.self)
    #expect(html.contains("<li>fresh_hit_ratio/chat/lru: 50.0 % → 40.0 %</li>"))
    #expect(html.contains("<li>grid: another workload in a, not comparable</li>"))
    #expect(!html.contains("<li>fresh_hit_ratio/grid/"))
    #expect(html.contains("<li>fresh_hit_ratio/chat/ttl: only in a</li>"))
    #expect(html.contains("<li>fresh_hit_ratio/chat/arc: only in b</li>"))
    #expect(html.contains("Folders with another workload are left out."))
  }

  @Test("One folder says that it is not a trend yet")
  func single() {
    let html = String(decoding: TrendPage([Self.folder("a", lru: 0.5)]).html(), as: UTF8.self)
    #expect(html.contains("One folder is not a trend"))
  }
}
