import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Last screen of bench")
struct BenchSummaryTests {
  private static func scenario(
    _ name: String, _ contenders: [VerdictTextTests.Entry]
  ) -> ScenarioVerdict {
    ScenarioVerdict(scenario: name, verdict: VerdictTextTests.verdict(contenders))
  }

  private static func missed(_ scenario: String, _ policy: String, _ value: Double)
    -> [TargetJudgement]
  {
    let target = Target(
      scenario: scenario, metric: .hitRatio, class: .all, comparison: .atLeast, limit: 0.9,
      policies: [policy])
    let row = ResultRow(
      scenario: scenario, policy: policy, seed: 1, class: .all, metric: .hitRatio,
      value: .real(value))
    return TargetJudge(rows: [row]).judge([target])
  }

  private static func text(
    _ verdicts: [ScenarioVerdict], _ judgements: [TargetJudgement] = []
  ) -> String {
    BenchSummary.text(
      verdicts: verdicts, judgements: judgements, place: "Reports/latest/index.html", style: .plain)
  }

  @Test("What is open, then what was missed, then who wins most, then where the report lies")
  func snapshot() {
    let verdicts = [
      Self.scenario("browse", [.init(name: "ttl", fresh: 869), .init(name: "lru", fresh: 900)]),
      Self.scenario("storm", [.init(name: "ttl", fresh: 900), .init(name: "lru", fresh: 800)]),
      Self.scenario("week", [.init(name: "ttl", fresh: 800), .init(name: "lru", fresh: 900)]),
      ScenarioVerdict(scenario: "odd", verdict: nil),
    ]
    expectSnapshot(
      Self.text(
        verdicts,
        Self.missed("browse", "lru", 0.5) + Self.missed("browse", "ttl", 0.6)
          + Self.missed("week", "lru", 0.95)),
      """
      in short
        odd: no policy competes
        missed in browse: lru hit_ratio[all] 50.0 % (≥ 90.0 %); 1 more
        ship lru in 2 scenarios (3.1 ± 0.0 points, …): browse, week
        ship ttl in storm, 10.0 ± 0.0 points before lru
      targets: 1 met, 2 missed, 0 without a verdict
      report: Reports/latest/index.html

      """)
  }

  @Test("However many scenarios there are, it is one screen", arguments: [0, 1, 5, 30, 400])
  func oneScreen(count: Int) {
    let verdicts = (0..<count).flatMap { index in
      [
        ScenarioVerdict(scenario: "open-scenario-with-a-long-name-\(index)", verdict: nil),
        Self.scenario(
          "decided-\(index)",
          [
            .init(
              name: "policy-with-a-name-that-is-much-too-long-for-any-line-\(index)", fresh: 900),
            .init(name: "another-policy-with-a-name-that-is-too-long-\(index)", fresh: 800),
          ]),
      ]
    }
    let judgements = (0..<count).flatMap { Self.missed("decided-\($0)", "lru", 0.1) }
    let lines = Self.text(verdicts, judgements).split(separator: "\n")
    #expect(lines.count <= BenchSummary.height)
    #expect(lines.allSatisfy { $0.count <= BenchSummary.width })
    #expect(lines.last == "report: Reports/latest/index.html")
    if count == 400 {
      #expect(lines.contains("  + 396 more not decided, see the report"))
      #expect(lines.contains("  + 395 more with missed targets, see the report"))
      #expect(lines.contains("  + 391 more winners, see the report"))
    }
  }
}
