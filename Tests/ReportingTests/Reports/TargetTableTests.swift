import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Table of targets")
struct TargetTableTests {
  private static let policies = ["lru", "refcount", "ttl", "spacedrive", "sieve", "arc"]

  /// Judges a floor of 0.5 under every policy that has a value.
  private static func judge(
    _ scenario: String, _ values: [Double?]
  ) -> [TargetJudgement] {
    let bound = Array(policies.prefix(values.count))
    let rows = zip(bound, values).map { policy, value in
      ResultRow(
        scenario: scenario, policy: policy, seed: 1, metric: .hitRatio,
        value: value.map(MetricValue.real))
    }
    return TargetJudge(rows: rows).judge([
      Target(
        scenario: scenario, metric: .hitRatio, comparison: .atLeast, limit: 0.5,
        policies: bound)
    ])
  }

  @Test(
    "a missed target names the policy that reaches it, or the bound",
    arguments: [
      (
        [("lru", 0.5), ("unbounded", 0.7)],
        "50.0 %  missed   compulsory misses: unbounded has 70.0 %"
      ),
      (
        [("lru", 0.5), ("no-cache", 0.95), ("unbounded", 0.97)],
        "50.0 %  missed   unbounded: 97.0 %"
      ),
      (
        [("lru", 0.5), ("a", 0.95), ("b", 0.92), ("c", 0.8), ("unbounded", 0.97)],
        "50.0 %  missed   b has 92.0 %"
      ),
      ([("lru", 0.5), ("a", 0.95)], "50.0 %  missed"),
    ])
  func reachable(values: [(String, Double)], line: String) {
    let target = Target(
      scenario: "s", metric: .hitRatio, comparison: .atLeast, limit: 0.9, policies: ["lru"])
    let rows = values.map { policy, value in
      ResultRow(
        scenario: "s", policy: policy, seed: 1, metric: .hitRatio, value: .real(value))
    }
    let text = TargetTable.table(TargetJudge(rows: rows).judge([target]), rows: rows)
      .terminal(style: .plain, width: 200)
    #expect(text.split(separator: "\n").contains { $0.hasSuffix(line) }, "\(text)")
  }

  @Test("of several seeds the worst of each policy is shown, and which seed that was")
  func seeds() {
    let target = Target(
      scenario: "s", metric: .hitRatio, comparison: .atLeast, limit: 0.9, policies: ["lru", "ttl"])
    func row(_ policy: String, _ seed: UInt64?, _ value: Double) -> ResultRow {
      ResultRow(scenario: "s", policy: policy, seed: seed, metric: .hitRatio, value: .real(value))
    }
    let rows = [
      row("lru", 1, 0.92), row("lru", 2, 0.5), row("lru", nil, 0.71), row("ttl", 1, 0.8),
      row("ttl", 2, 0.96), row("ttl", nil, 0.88), row("unbounded", 1, 0.97),
      row("unbounded", 2, 0.95), row("a", 1, 0.99), row("a", 2, 0.91),
    ]
    let text = TargetTable.table(TargetJudge(rows: rows).judge([target]), rows: rows)
      .terminal(style: .plain, width: 200)
    #expect(
      text.contains("lru, ttl  ≥ 90.0 %  50.0 % in seed 2  missed   a has 91.0 % in seed 2"),
      "\(text)")
  }

  @Test("a latency has the share of its samples within the limit")
  func within() {
    func row(_ metric: Metric, _ statistic: Statistic, _ class: ResultClass, _ value: MetricValue)
      -> ResultRow
    {
      ResultRow(
        scenario: "pipeline", policy: metric == .controlToUI ? "" : "lru", seed: 1,
        class: `class`, metric: metric, statistic: statistic, value: value)
    }
    let rows = [
      row(.serverToUI, .p99, "unix", .integer(19_000_000)),
      row(.controlToUI, .p99, "unix", .integer(1_000)),
      row(.updateToNotifyWithinTarget, .value, "unix", .real(0.25)),
      row(.serverToUIWithinTarget, .value, "unix", .real(0.995)),
    ]
    let target = Target(
      scenario: "pipeline", metric: .serverToUI, statistic: .p99, class: "unix",
      comparison: .atMost, limit: 20e6, policies: ["lru"])
    let text = TargetTable.table(TargetJudge(rows: rows).judge([target]), rows: rows)
      .terminal(style: .plain)
    #expect(text.contains("19.0 ms  99.50 %  met"))
  }

  @Test("with several policies the share is that of the worst one, rounded down")
  func worstShare() {
    let shares = [("lru", 0.999_96), ("ttl", 0.985_19), ("sieve", 1.0)]
    let rows = shares.map { policy, share in
      ResultRow(
        scenario: "pipeline", policy: policy, seed: 1, class: "unix",
        metric: .updateToNotifyWithinTarget, value: .real(share))
    }
    func text(_ policies: [String]) -> String? {
      let target = Target(
        scenario: "pipeline", metric: .updateToNotify, statistic: .p99, class: "unix",
        comparison: .atMost, limit: 1e6, policies: policies)
      return SharesWithinTarget(rows: rows).text(of: target, policies: policies)
    }
    #expect(text(["lru", "ttl", "sieve"]) == "98.51 %")
    #expect(text(["lru", "sieve"]) == "99.99 %")
    #expect(text(["sieve"]) == "100 %")
    #expect(text(["arc"]) == nil)
  }

  @Test("one line where all policies agree, with the worst; missed, then undecided, then met")
  func snapshot() {
    let judgements =
      Self.judge("all-met", [0.9, 0.8, 0.7, 0.6, 0.5, 0.9]) + Self.judge("split", [0.9, 0.4, 0.8])
      + Self.judge("all-missed", [0.3, 0.1, 0.2]) + Self.judge("no-data", [nil, nil])
    expectSnapshot(
      TargetTable.table(judgements).terminal(style: .plain),
      """
      target     policy                     limit  measured  verdict  note
      ─────────  ──────────────────────  ────────  ────────  ───────  ────────
      split
      hit_ratio  refcount                ≥ 50.0 %    40.0 %  missed
      all-missed
      hit_ratio  lru, refcount, ttl      ≥ 50.0 %    10.0 %  missed
      no-data
      hit_ratio  lru, refcount           ≥ 50.0 %         –  no data  no value
      all-met
      hit_ratio  lru, refcount, +4 more  ≥ 50.0 %    50.0 %  met
      split
      hit_ratio  lru                     ≥ 50.0 %    90.0 %  met
      hit_ratio  ttl                     ≥ 50.0 %    80.0 %  met

      """)
  }

  @Test("the worst of a ceiling is the highest")
  func ceiling() {
    let ceiling = Target(
      scenario: "s", metric: .resyncs, comparison: .atMost, limit: 5, policies: ["a", "b"])
    #expect(ceiling.isWorse(.integer(4), than: .integer(3)))
    #expect(!ceiling.isWorse(.integer(3), than: .integer(3)))
    #expect(!ceiling.isWorse(.integer(2), than: .integer(3)))
  }
}
