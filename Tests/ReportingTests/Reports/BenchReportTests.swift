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
      file-browser
        policy      fresh  stale     wait  fetched  pushed    memory
        ─────────  ──────  ─────  ───────  ───────  ──────  ────────
        lru        90.0 %  1.0 %  10.0 ms  12.3 MB  8.0 MB    4.5 MB
        ttl        86.9 %  1.0 %  13.1 ms  15.0 MB  8.0 MB    4.4 MB
        unbounded  99.0 %  1.0 %   1.0 ms   1.0 kB  8.0 MB  101.3 MB
        → ship lru: 90.0 ± 0.0 % fresh, 3.1 ± 0.0 points ahead of ttl (10 seeds)

      index-storm
        policy   fresh  stale     wait  fetched  pushed  memory
        ──────  ──────  ─────  ───────  ───────  ──────  ──────
        lru     50.0 %  1.0 %  50.0 ms  12.3 MB  8.0 MB  4.5 MB
        → no policy competes

      fresh reads, %
        scenario       lru  refcount   ttl  spacedrive  unbounded
        ────────────  ────  ────────  ────  ──────────  ─────────
        file-browser  90.0         –  86.9           –       99.0
        index-storm   50.0         –     –           –          –

      which policy to ship
        scenario      ship  by                           seeds
        ────────────  ────  ───────────────────────────  ─────
        index-storm   –
        file-browser  lru   3.1 ± 0.0 points before ttl     10
        fresh, stale: reads of the user, of queries and of single entities, that were served at once, and right or wrong.
        wait: mean time from a read to its rows. fetched, pushed: what the network carried, asked for and not.
        memory: of the whole cache at its peak, as predicted. over: how far a limit was exceeded.

      memory and throughput on this machine
        metric            class    value
        ────────────────  ─────  ───────
        bytes_per_entity  total  1,310 B

      targets
        target                        scenario      policy           limit  measured
            verdict
        ────────────────────────────  ────────────  ──────────  ──────────  ────────
        hit_ratio[file]               file-browser  ttl           ≥ 90.0 %    88.0 %
            missed; lru has 91.0 %
        hit_ratio[file]               file-browser  spacedrive    ≥ 90.0 %         –
            no data: not measured
        update_to_notify[single] p99  latency       spacedrive  ≤ 300.0 µs  456.0 µs
            inconclusive: control_notify p99 takes 66 % of the limit
        hit_ratio[file]               file-browser  lru           ≥ 90.0 %    91.0 %
            met
        update_to_notify[single] p99  latency       spacedrive    ≤ 1.0 ms  456.0 µs
            met
        measured is the worst seed of the policies named; by target and policy: 2 met, 1 missed, 2 without a verdict

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

  @Test("one scenario needs no table of answers")
  func oneScenario() {
    let verdict = VerdictTextTests.verdict([
      .init(name: "ttl", fresh: 869), .init(name: "lru", fresh: 900),
    ])
    let text = BenchReport(
      rows: SampleRows.simulated,
      verdicts: [ScenarioVerdict(scenario: "file-browser", verdict: verdict)]
    ).text(style: .plain)
    #expect(text.contains("→ ship lru: 90.0 ± 0.0 % fresh"))
    #expect(!text.contains("which policy to ship"))
  }
}
