import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Report of gate")
struct GateReportTests {
  /// A figure over three seeds.
  private static func rows(
    _ metric: Metric, _ values: [Double], policy: String = "lru", class: ResultClass = .total,
    statistic: Statistic = .value
  ) -> [ResultRow] {
    values.enumerated().map { seed, value in
      ResultRow(
        scenario: "s", policy: policy, seed: UInt64(seed), class: `class`, metric: metric,
        statistic: statistic, value: .real(value))
    }
  }

  private static func compare(
    _ baseline: [ResultRow], _ candidate: [ResultRow], targets: [Target] = [],
    workload: String = "5 ms", capacity: String = "100", isStrict: Bool = false
  ) -> Verdict {
    func scenario(_ delay: String, _ capacity: String) -> ScenarioIdentity {
      ScenarioIdentity(
        scenario: "s", workload: [.init("network.delay", delay)],
        contenders: [.init("cache.capacity-entities", capacity)]
          + targets.map { .init($0.path(of: nil), "\($0.limit)") })
    }
    return Gate.compare(
      baseline: ResultSet(scenarios: [scenario("5 ms", "100")], rows: baseline),
      candidate: ResultSet(scenarios: [scenario(workload, capacity)], rows: candidate),
      targets: targets, isStrict: isStrict)
  }

  private static let baseline =
    rows(.freshHitRatio, [0.889, 0.887, 0.891], class: .all)
    + rows(.hitRatio, [0.9, 0.9, 0.9], class: .all)
    + rows(.evictions, [1_000, 1_020, 980]) + rows(.fetches, [500, 510, 490])
    + rows(.bytesFetched, [1e6, 1e6, 1e6], policy: "ttl")
    + rows(.hitFresh, [5, 5, 5], policy: "gone")

  private static let candidate =
    rows(.freshHitRatio, [0.812, 0.811, 0.813], class: .all)
    + rows(.hitRatio, [0.8, 0.81, 0.8], class: .all)
    + rows(.evictions, [1_412, 1_430, 1_394]) + rows(.fetches, [500, 510, 490])
    + rows(.bytesFetched, [0.9e6, 0.91e6, 0.9e6], policy: "ttl")
    + rows(.hitFresh, [5, 5, 5], policy: "new")

  @Test("the worst first with size and cause, then removed, better, new, the targets, the remedy")
  func snapshot() {
    let verdict = Self.compare(
      Self.baseline, Self.candidate,
      targets: [
        Target(
          scenario: "s", metric: .hitRatio, class: .all, comparison: .atLeast, limit: 0.85,
          policies: ["lru"]),
        Target(scenario: "s", metric: .fetches, comparison: .atLeast, limit: 5, policies: ["lru"]),
        Target(scenario: "s", metric: .resyncs, comparison: .atMost, limit: 0, policies: ["lru"]),
        Target(scenario: "s", metric: .fetches, comparison: .atMost, limit: 5, policies: ["lru"]),
      ], capacity: "50")
    expectSnapshot(
      GateReport.text(verdict, style: .plain),
      """
      s: the policies differ from the baseline's: cache.capacity-entities was 100, is
        50
      worse s/lru: fresh_hit_ratio[all] 88.9 → 81.2 %, 7.7 ± 0.2 points worse; per run
        412 more evictions; 1 more figure worse
      removed s/gone
      target s/lru: hit_ratio[all] is 80.0 % in seed 0, the worst of 3, limit
        ≥ 85.0 %: missed
      better s/ttl: bytes_fetched 1.0 MB → 903.3 kB, 9.7 ± 1.4 % better
      not in the baseline: s/new
      target s/lru: resyncs is –, limit ≤ 0: no data: not measured
      gate failed: 2 main figures worse, 1 better, 1 changed, 1 the same, 1 policy
        removed, 1 policy added; targets: 1 met, 1 missed, 1 without a verdict, 1
        missed as in the baseline
      if this was intended, renew the baseline: tidemark bench --baseline

      """)
  }

  @Test("the most asked-for figure comes first, however many percent another moved")
  func order() {
    let before =
      Self.rows(.fetches, [1, 1, 1], policy: "a")
      + Self.rows(.freshHitRatio, [0.5, 0.5, 0.5], policy: "b", class: .all)
      + Self.rows(.freshHitRatio, [0.5, 0.5, 0.5], policy: "c", class: .all)
    let after =
      Self.rows(.fetches, [90, 90, 90], policy: "a")
      + Self.rows(.freshHitRatio, [0.4, 0.4, 0.4], policy: "b", class: .all)
      + Self.rows(.freshHitRatio, [0.1, 0.1, 0.1], policy: "c", class: .all)
    let lines = GateReport.text(Self.compare(before, after), style: .plain).split(separator: "\n")
    #expect(lines.prefix(3).map { $0.prefix(9) } == ["worse s/c", "worse s/b", "worse s/a"])
  }

  @Test("an insignificant change is counted; a strict gate names it")
  func changed() {
    let before = Self.rows(.freshHitRatio, [0.5, 0.6, 0.7], class: .all)
    let after = Self.rows(.freshHitRatio, [0.501, 0.599, 0.7], class: .all)
    let usual = GateReport.text(Self.compare(before, after), style: .plain)
    #expect(
      usual.hasPrefix(
        "gate passed: 1 main figure changed\n"
      ))
    let strict = GateReport.text(Self.compare(before, after, isStrict: true), style: .plain)
    #expect(strict.hasPrefix("changed s/lru: fresh_hit_ratio[all] 60.00 → 60.00 %, "), "\(strict)")
    #expect(strict.contains("gate failed"))
  }

  @Test("another workload names the field, and the remedy")
  func incompatible() {
    let rows = Self.rows(.reads, [5, 5, 5])
    expectSnapshot(
      GateReport.text(Self.compare(rows, rows, workload: "50 ms"), style: .plain),
      """
      incompatible: s: its workload is not the baseline's: network.delay was 5 ms, is
        50 ms; renew the baseline with `tidemark bench --baseline`
      gate incompatible: nothing was compared

      """)
  }

  @Test("differences below the main figures say where, and with the other build, which")
  func belowMainFigures() {
    let before =
      Self.rows(.freshHitRatio, [0.5, 0.5], class: .all)
      + Self.rows(.missCold, [7, 9], class: "inbox")
    let after =
      Self.rows(.freshHitRatio, [0.5, 0.5], class: .all)
      + Self.rows(.missCold, [7, 8], class: "inbox")
    func set(_ rows: [ResultRow]) -> ResultSet {
      ResultSet(
        scenarios: [ScenarioIdentity(scenario: "s", workload: [])],
        rows: rows.filter { $0.class == .all }, digests: RunDigest.all(of: rows))
    }
    var verdict = Gate.compare(
      baseline: set(before), candidate: set(after), targets: [], isStrict: true)
    expectSnapshot(
      GateReport.text(verdict, style: .plain),
      """
      differs s/lru: not the same in 1 of 2 seeds (1), in figures below the main ones,
        which are the same; `tidemark gate --against REF`, with the revision that made
        the baseline, lists them
      gate failed: 1 main figure the same; 1 of 2 runs the same in every exact figure
      if this was intended, renew the baseline: tidemark bench --baseline

      """)
    #expect(GateJUnit.document(verdict).contains("<failure message=\"not the same in 1 of 2 seeds"))
    _ = verdict.list(from: before, to: after, of: set(before).digests, recorded: [])
    let text = GateReport.text(verdict, style: .plain)
    #expect(
      text.contains(
        "all that differs in s/lru:\n  changed miss_cold[inbox] "),
      "\(text)")
    #expect(!text.contains("below the main ones"))
  }

  @Test("a flood of findings is counted, not printed")
  func flood() {
    let before = (0..<100).flatMap { Self.rows(.fetches, [1, 1, 1], policy: "p\($0)") }
    let after = (0..<100).flatMap { Self.rows(.fetches, [2, 2, 2], policy: "p\($0)") }
    let text = GateReport.text(Self.compare(before, after), style: .plain)
    #expect(text.contains("\n… 78 more, in verdict.json\n"), "\(text)")
    #expect(text.split(separator: "\n").count <= 25)
  }
}
