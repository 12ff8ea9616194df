import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Two folders compared")
struct ResultsComparisonTests {
  @Test("Two folders are compared seed by seed")
  func comparison() {
    let before = SampleResults.results()
    var after = SampleResults.results()
    after.folder = "Reports/other"
    after.rows =
      SampleResults.rows("file-browser", shift: 0.05) + SampleResults.rows("slow-link")
    after.seeds = SampleResults.seeds("file-browser", shift: 0.05)
    after.verdicts?.scenarios[0].choice = ["lru"]
    after.verdicts?.scenarios += SampleResults.results(["slow-link"]).verdicts?.scenarios ?? []
    let comparison = ResultsComparison(of: before, with: after)
    let text = comparison.text(style: .plain)
    #expect(text.contains("  lru                 +5.0±0.0  15.0 ms (-25.0 %)\n"), "\(text)")
    #expect(text.contains("  lru                 160.0 MB (-23.8 %)  15.0 MB (=)\n"), "\(text)")
    #expect(text.contains("  lru                 refcount      lru\n"), "\(text)")
    #expect(text.contains("  0.0±0.0"), "\(text)")
    #expect(text.contains("  slow-link     only in the second"), "\(text)")
    let outline = Outline(comparison.html())
    #expect(outline.faults == [])
    let html = String(decoding: comparison.html(), as: UTF8.self)
    #expect(
      html.contains("4 serve more fresh hits in Reports/other and 0 fewer, statistically "))
    #expect(html.contains("Another policy is recommended in 1 scenario."))
  }

  @Test(
    "Without rows of single seeds the means are compared, without an interval, and the option is named"
  )
  func ofMeans() {
    var before = SampleResults.results()
    before.seeds = nil
    var after = SampleResults.results()
    after.rows = SampleResults.rows("file-browser", shift: 0.05)
    let comparison = ResultsComparison(of: before, with: after)
    let text = comparison.text(style: .plain)
    #expect(text.contains("+5.0 (of means)"), "\(text)")
    #expect(text.contains("bench --per-seed"), "\(text)")
    let html = String(decoding: comparison.html(), as: UTF8.self)
    #expect(html.contains("no two common seeds: run both with tidemark bench --per-seed"))
    #expect(html.contains("1 scenario is in both. Without two common seeds no difference "))
  }

  @Test("Another workload is not compared")
  func otherWorkload() throws {
    let before = SampleResults.results()
    var after = before
    var results = before
    func run(_ value: String) -> SavedRun {
      let manifest = Manifest(
        schemaVersion: ResultSchema.version, programVersion: "1", command: [], seeds: [],
        contenders: [],
        scenarios: [
          ScenarioIdentity(
            scenario: "file-browser", workload: [ScenarioIdentity.Field("network.delay", value)])
        ], startedAt: "", elapsedSeconds: 1, host: [], toolchain: [])
      return SavedRun(manifest)
    }
    results.run = run("50 ms")
    after.run = run("60 ms")
    let text = ResultsComparison(of: results, with: after).text(style: .plain)
    #expect(text.contains("another workload\n"), "\(text)")
    after.run = run("50 ms")
    #expect(!ResultsComparison(of: results, with: after).text(style: .plain).contains("another"))
  }
}
