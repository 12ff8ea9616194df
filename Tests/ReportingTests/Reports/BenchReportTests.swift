import Analysis
import Metrics
import Testing

@testable import Reporting

@Suite("Report of bench")
struct BenchReportTests {
  @Test("policies, winner, measurements and targets")
  func snapshot() {
    let tied =
      SampleRows.policy(
        "lru", scenario: "index-storm", hit: 0.51, fresh: 0.5, bytes: 12_300_000, weight: 4_000_000)
      + SampleRows.policy(
        "ttl", scenario: "index-storm", hit: 0.51, fresh: 0.5009, bytes: 15_000_000,
        weight: 3_900_000)
    let rows = SampleRows.simulated + tied + SampleRows.measured
    let targets = [
      Target(
        scenario: "file-browser", metric: "hit_ratio", class: "file", comparison: .atLeast,
        limit: 0.9, policies: ["lru", "ttl", "spacedrive"]),
      Target(
        scenario: "latency", metric: "update_to_notify", statistic: "p99", class: "single",
        comparison: .atMost, limit: 1_000_000, policies: ["spacedrive"]),
      Target(
        scenario: "latency", metric: "update_to_notify", statistic: "p99", class: "single",
        comparison: .atMost, limit: 300_000, policies: ["spacedrive"]),
    ]
    let report = BenchReport(
      rows: rows, choices: ScenarioChoice.all(in: rows, bounds: ["unbounded"]),
      judgements: TargetJudge(rows: rows).judge(targets))
    expectSnapshot(
      report.text(style: .plain),
      """
      file-browser
        policy       hits   fresh  stale  behind  fetched  repeated   weight    memory
        ─────────  ──────  ──────  ─────  ──────  ───────  ────────  ───────  ────────
        lru        91.0 %  90.0 %  1.0 %       –  12.3 MB    1.2 MB   4.0 MB    4.5 MB
        ttl        88.0 %  86.9 %  1.0 %     3.1  15.0 MB    1.5 MB   3.9 MB    4.4 MB
        unbounded  99.0 %  99.0 %  1.0 %           1.0 kB     100 B  90.0 MB  101.3 MB
        → ship lru: 90.0 % fresh hits, 3.1 points ahead of ttl

      index-storm
        policy    hits   fresh  stale  behind  fetched  repeated  weight  memory
        ──────  ──────  ──────  ─────  ──────  ───────  ────────  ──────  ──────
        lru     51.0 %  50.0 %  1.0 %     0.1  12.3 MB    1.2 MB  4.0 MB  4.5 MB
        ttl     51.0 %  50.1 %  1.0 %       –  15.0 MB    1.5 MB  3.9 MB  4.4 MB
        → ship lru: ties with ttl in fresh hits (50.0 %, 50.1 %), fetches 12.3 MB against 15.0 MB

      which policy to ship
        scenario      ship   fresh  ahead of  by
        ────────────  ────  ──────  ────────  ─────────────────────────────────
        file-browser  lru   90.0 %  ttl       3.1 points
        index-storm   lru   50.0 %  ttl       tie; fetches 12.3 MB, not 15.0 MB
        ship: highest fresh hit ratio; within 0.1 points, fewest bytes fetched; within 0.1 %, lowest peak weight.
        behind: points of fresh hit ratio behind the best; bounds do not compete and have none.
        repeated: bytes fetched again though nothing had changed.
        weight, memory: at the peak, of the values, and of the whole cache with them, as predicted.

      latency on this machine (spacedrive)
        what              events      n      p50       p99  p99.9  max
        ────────────────  ──────  ─────  ───────  ────────  ─────  ───
        update_to_notify  single  2,000  12.3 µs  456.0 µs      –    –
        control_notify    single  2,000        –  200.0 µs      –    –
        everything: latency.csv

      memory and throughput on this machine
        metric            class    value
        ────────────────  ─────  ───────
        bytes_per_entity  total  1,310 B

      targets
        target                        scenario      policy           limit  measured  verdict
        ────────────────────────────  ────────────  ──────────  ──────────  ────────  ─────────────────────────────────────────────────────────
        hit_ratio[file]               file-browser  ttl           ≥ 90.0 %    88.0 %  missed; unbounded: 99.0 %
        hit_ratio[file]               file-browser  spacedrive    ≥ 90.0 %         –  no data: not measured
        update_to_notify[single] p99  latency       spacedrive  ≤ 300.0 µs  456.0 µs  not decidable: control_notify p99 takes 66 % of the limit
        hit_ratio[file]               file-browser  lru           ≥ 90.0 %    91.0 %  met
        update_to_notify[single] p99  latency       spacedrive    ≤ 1.0 ms  456.0 µs  met
        measured is the worst of the policies named; by target and policy: 2 met, 1 missed, 2 without a verdict

      """)
  }

  @Test("a value that misses its limit never looks like the limit")
  func rounding() {
    let target = Target(
      scenario: "s", metric: "hit_ratio", comparison: .atLeast, limit: 0.9, policies: ["lru"])
    #expect(target.measuredText(.real(0.8999)) == "90.0 % (0.8999)")
    #expect(target.measuredText(.real(0.9)) == "90.0 %")
    #expect(target.measuredText(.real(0.8)) == "80.0 %")
    #expect(target.measuredText(nil) == "–")
  }

  @Test("one scenario needs no table of answers")
  func oneScenario() {
    let rows = SampleRows.simulated
    let text = BenchReport(
      rows: rows, choices: ScenarioChoice.all(in: rows, bounds: ["unbounded"]), judgements: []
    ).text(style: .plain)
    #expect(text.contains("→ ship lru: 90.0 % fresh hits"))
    #expect(text.contains("\nship: \(Winner.rule)."))
    #expect(!text.contains("which policy to ship"))
  }

  @Test("what a tie, a lone contender and no contender are called")
  func winnerLines() {
    func line(_ contenders: [Contender], missing: [String] = []) -> String {
      WinnerLine.text(
        ScenarioChoice(
          scenario: "s", contenders: contenders, withoutFigures: missing))
    }
    func contender(_ policy: String, _ bytes: Double, _ weight: Double) -> Contender {
      Contender(
        policy: policy, freshHitRatio: 0.9, bytesFetched: bytes, peakResidentWeight: weight)
    }
    #expect(
      line([contender("a", 10, 1), contender("b", 2_000, 1)])
        == "ship a: ties with b in fresh hits (90.0 %, 90.0 %), fetches 10 B against 2.0 kB")
    #expect(
      line([contender("a", 1, 2_000), contender("b", 1, 10)])
        == "ship b: ties with a in fresh hits (90.0 %, 90.0 %) and in bytes fetched, "
        + "peaks at 10 B against 2.0 kB")
    #expect(
      line([contender("a", 1, 1), contender("b", 1, 1)])
        == "no winner: this scenario does not tell a from b")
    #expect(line([contender("a", 1, 1)], missing: ["b"]).hasSuffix("(figures missing: b)"))
    #expect(line([]) == "no winner: no policy has all figures")
  }
}
