import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Report of bench")
struct BenchReportTests {
  @Test("policies, winner, measurements and targets")
  func snapshot() {
    let rows =
      SampleRows.simulated
      + SampleRows.policy(
        "lru", scenario: "index-storm", hit: 0.51, fresh: 0.5, bytes: 12_300_000,
        weight: 4_000_000) + SampleRows.measured
    let targets = [
      Target(
        scenario: "file-browser", metric: .hitRatio, class: "file", comparison: .atLeast,
        limit: 0.9, policies: ["lru", "ttl", "spacedrive"]),
      Target(
        scenario: "latency", metric: .updateToNotify, statistic: .p99, class: "single",
        comparison: .atMost, limit: 1_000_000, policies: ["spacedrive"]),
      Target(
        scenario: "latency", metric: .updateToNotify, statistic: .p99, class: "single",
        comparison: .atMost, limit: 300_000, policies: ["spacedrive"]),
    ]
    let report = BenchReport(
      rows: rows,
      verdicts: [
        ScenarioVerdict(
          scenario: "file-browser",
          verdict: VerdictTextTests.verdict([
            .init(name: "ttl", fresh: 869), .init(name: "lru", fresh: 900),
          ])), ScenarioVerdict(scenario: "index-storm", verdict: nil),
      ], targets: targets, judged: rows)
    expectSnapshot(
      report.text(style: .plain),
      """
      file-browser · 10 seeds

      Ship lru: 90.0 ± 0.0 % fresh hits, 3.1 ± 0.0 points ahead of ttl
        Compared  with ttl: 2.7 MB less fetched, 3.1 ms less wait, 112.5 kB more
                  memory

      policy     fresh hits  stale     wait  fetched    memory
      ─────────  ──────────  ─────  ───────  ───────  ────────
      lru            90.0 %  1.0 %  10.0 ms  12.3 MB    4.5 MB
      ttl            86.9 %  1.0 %  13.1 ms  15.0 MB    4.4 MB
      Bounds, not candidates
      unbounded      99.0 %  1.0 %   1.0 ms   1.0 kB  101.3 MB

      Events pushed: 8.0 MB to every policy.

      index-storm

      No policy competes

      policy  fresh hits  stale     wait  fetched  pushed  memory
      ──────  ──────────  ─────  ───────  ───────  ──────  ──────
      lru         50.0 %  1.0 %  50.0 ms  12.3 MB  8.0 MB  4.5 MB

      fresh hits, %
        scenario       lru  refcount   ttl  spacedrive  unbounded
        ────────────  ────  ────────  ────  ──────────  ─────────
        file-browser  90.0         –  86.9           –       99.0
        index-storm   50.0         –     –           –          –

      which policy to ship
        scenario      ship  by                             seeds
        ────────────  ────  ─────────────────────────────  ─────
        index-storm   –
        file-browser  lru   3.1 ± 0.0 points ahead of ttl     10

      fresh hits  reads served without waiting and equal to the server's state
      stale       reads served without waiting, but outdated
      wait        mean time from a read to its rows: 0 for a hit; failed reads are
                  left out
      fetched     bytes of responses to all clients, per run
      pushed      bytes of events
      memory      largest predicted peak of the whole cache in any seed

      memory and throughput on this machine
        metric            class    value
        ────────────────  ─────  ───────
        bytes_per_entity  total  1,310 B

      targets
        target                        policy           limit  measured  verdict
            note
        ────────────────────────────  ──────────  ──────────  ────────  ────────────
        file-browser
        hit_ratio[file]               ttl           ≥ 90.0 %    88.0 %  missed
            lru has 91.0 %
        hit_ratio[file]               spacedrive    ≥ 90.0 %         –  no data
            not measured
        latency
        update_to_notify[single] p99  spacedrive  ≤ 300.0 µs  456.0 µs  inconclusive
            control_notify p99 takes 66 % of the limit
        file-browser
        hit_ratio[file]               lru           ≥ 90.0 %    91.0 %  met
        latency
        update_to_notify[single] p99  spacedrive    ≤ 1.0 ms  456.0 µs  met
        By target and policy: 2 met, 1 missed, 2 without a verdict. Measured: the
          worst value of the policies in seed 7; `gate` judges 5 seeds.

      """)
  }

  @Test("a value that misses its limit never looks like the limit")
  func rounding() {
    let target = Target(
      scenario: "s", metric: .hitRatio, comparison: .atLeast, limit: 0.9, policies: ["lru"])
    #expect(target.measuredText(.real(0.8999)) == "90.0 % (0.8999)")
    #expect(target.measuredText(.real(0.9)) == "90.0 %")
    #expect(target.measuredText(.real(0.8)) == "80.0 %")
    #expect(target.measuredText(nil) == "–")
  }

  @Test("one scenario needs no table of answers, and without legends the rest is the same")
  func oneScenario() {
    let verdict = VerdictTextTests.verdict([
      .init(name: "ttl", fresh: 869), .init(name: "lru", fresh: 900),
    ])
    var report = BenchReport(
      rows: SampleRows.simulated,
      verdicts: [ScenarioVerdict(scenario: "file-browser", verdict: verdict)])
    let text = report.text(style: .plain)
    #expect(text.contains("\n\nShip lru: 90.0 ± 0.0 % fresh hits"))
    #expect(!text.contains("which policy to ship"))
    report.hasLegends = false
    let short = report.text(style: .plain)
    #expect(short.count < text.count && text.hasPrefix(short), "\(short)")
  }
}

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

  @Test("Open questions first, then missed targets, the most frequent winner, and the report")
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
        ship ttl in storm, 10.0 ± 0.0 points ahead of lru
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
    // The title, head, rule and three rows of the first table, and two empty lines.
    let announced = BenchSummary.announced(among: verdicts.map(\.scenario)).count
    #expect(8 + announced + (announced < verdicts.count ? 1 : 0) + lines.count <= 60)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.last == "report: Reports/latest/index.html")
    if count == 400 {
      #expect(lines.contains("  + 396 more not decided, see the report"))
      #expect(lines.contains("  + 395 more with missed targets, see the report"))
      #expect(lines.contains("  + 391 more winners, see the report"))
    }
  }
}
