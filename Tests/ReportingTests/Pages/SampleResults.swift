import ResultModel

@testable import Reporting

/// A folder of results as `bench --per-seed` would have written it: the means of two seeds of one scenario.
enum SampleResults {
  static let policies = ["lru", "refcount", "ttl", "no-cache", "unbounded"]

  static func results(_ names: [String] = ["file-browser"]) -> SavedResults {
    var results = SavedResults(folder: "Reports/latest", rows: names.flatMap { rows($0) })
    results.seeds = names.flatMap { seeds($0) }
    results.verdicts = verdicts(names)
    results.timeline = names.flatMap { timeline($0) }
    results.levels = names.flatMap { levels($0) }
    results.latency = latency
    results.memory = []
    return results
  }

  static func fresh(_ policy: String) -> Double {
    switch policy {
    case "lru": 0.8
    case "refcount": 0.82
    case "ttl": 0.6
    case "no-cache": 0
    default: 0.9
    }
  }

  static func rows(_ scenario: String, shift: Double = 0) -> [ResultRow] {
    rows(scenario, shift: shift, seeds: [nil])
  }

  static func seeds(_ scenario: String, shift: Double = 0) -> [ResultRow] {
    rows(scenario, shift: shift, seeds: [1, 2])
  }

  private static func rows(
    _ scenario: String, shift: Double, seeds: [UInt64?]
  ) -> [ResultRow] {
    policies.flatMap { policy -> [ResultRow] in
      let fresh = min(fresh(policy) + (policy == "no-cache" ? 0 : shift), 1)
      return seeds.flatMap { seed -> [ResultRow] in
        let own = fresh + (seed.map { $0 == 1 ? -0.01 : 0.01 } ?? 0) * (fresh > 0 ? 1 : 0)
        func row(
          _ metric: Metric, _ value: Double, _ statistic: Statistic = .value,
          _ name: ResultClass = .all
        ) -> ResultRow {
          ResultRow(
            scenario: scenario, policy: policy, seed: seed, class: name, metric: metric,
            statistic: statistic, value: .real(value), sampleCount: seed == nil ? 2 : nil,
            confidenceInterval: seed == nil && metric == .freshHitRatio
              ? (own - 0.01)...(own + 0.01) : nil)
        }
        return [
          row(.reads, 1_000), row(.hitRatio, own), row(.freshHitRatio, own),
          row(.staleReadShare, 0), row(.hitStale, 0), row(.partial, 10),
          row(.missCold, 990 - own * 1_000), row(.missEvicted, 0), row(.missExpired, 0),
          row(.missInvalidated, 0), row(.coalesced, 0), row(.bypass, 0), row(.failed, 0),
          row(.readWait, (1 - own) * 1e8, .mean), row(.readWait, 2e8, .p95),
          row(.bytesFetched, (1 - own) * 1e9, .value, .total),
          row(.bytesOfAnswers, (1 - own) * 9e8, .value, .total),
          row(.bytesOfCatchUp, (1 - own) * 1e8, .value, .total),
          row(.bytesPushed, 1e7, .value, .total),
          row(.predictedBytes, policy == "unbounded" ? 9e7 : 1.5e7, .peak, .total),
          row(.residentEntities, 1_000, .peak, .total), row(.overLimit, 0.9, .peak, .total),
        ]
      }
    }
  }

  static func verdicts(_ names: [String]) -> SavedVerdicts {
    var verdicts = SavedVerdicts()
    verdicts.policies = [
      SavedPolicy(name: "lru", meaning: "Least recently used order, no retention."),
      SavedPolicy(name: "refcount", meaning: "Kept while a cached query lists it."),
    ]
    verdicts.scenarios = names.map { name in
      var scenario = SavedScenario(
        scenario: name, outcome: .ship, objective: "fresh_hit_ratio", unit: "ratio", seeds: 2,
        sentence: "ship refcount: 82.0 ± 1.0 % fresh hits, 2.0 ± 0.4 points ahead of lru (2 seeds)",
        verdictCommand: "tidemark simulate \(name) --seeds 2",
        rowsCommand: "tidemark simulate \(name) --seeds 2 --no-robustness --format csv")
      scenario.choice = ["refcount"]
      scenario.runnerUp = "lru"
      scenario.lead = SavedInterval(mean: 0.02, halfWidth: 0.004, seeds: 2, level: 0.975)
      scenario.reason = "lru lost 20 more reads to evicted rows"
      scenario.standings = ["lru", "refcount", "ttl"].map {
        SavedStanding(policy: $0, fate: $0 == "refcount" ? .left : .behind)
      }
      scenario.alternatives = [
        SavedAlternative(label: "by bytes", answer: .disagrees, verdict: "lru"),
        SavedAlternative(label: "by waiting", answer: .agrees, verdict: "refcount"),
      ]
      scenario.effects = [
        SavedEffect(
          change: "ttl 60 s",
          difference: SavedInterval(mean: -0.2, halfWidth: 0.01, seeds: 4, level: 0.95)),
        SavedEffect(change: "sieve", difference: nil),
      ]
      scenario.duration = 60_000_000_000
      scenario.warmUp = 12_000_000_000
      scenario.faults = [
        SavedFault(kind: "partition", client: nil, begin: 20_000_000_000, end: 30_000_000_000)
      ]
      return scenario
    }
    verdicts.targets = names.flatMap { name in
      [
        SavedTarget(
          scenario: name, policy: "lru", name: "notifications_missed", limit: "≤ 0",
          measured: "0", outcome: .met),
        SavedTarget(
          scenario: name, policy: "ttl", name: "fresh_hit_ratio[all]", limit: "≥ 70.0 %",
          measured: "60.0 %", outcome: .missed),
      ]
    }
    return verdicts
  }

  static func timeline(_ scenario: String) -> [TimelineLine] {
    var lines: [TimelineLine] = []
    for policy in ["lru", "refcount", "unbounded"] {
      for part in Int64(0)..<6 {
        let isEmpty = part == 3
        let begin = part * 10_000_000_000
        lines.append(
          TimelineLine(
            scenario: scenario, policy: policy, seed: 1, begin: begin, end: begin + 10_000_000_000,
            reads: isEmpty ? 0 : 10, freshHits: isEmpty ? 0 : 8, staleHits: 0, failures: 0,
            entities: 100.5))
      }
    }
    return lines
  }

  static func levels(_ scenario: String) -> [MemoryLevel] {
    var levels: [MemoryLevel] = []
    for policy in ["lru", "refcount", "ttl"] {
      for limit in [7_500_000, 15_000_000, 30_000_000] {
        let fresh: Double = fresh(policy) * (limit < 10_000_000 ? 0.9 : 1.0)
        for metric in [Metric.freshHitRatio, Metric.readWait] {
          let isRatio = metric == .freshHitRatio
          let value: Double = isRatio ? fresh : (1.0 - fresh) * 1e8
          let row = ResultRow(
            scenario: scenario, policy: policy, seed: nil, class: .all, metric: metric,
            statistic: isRatio ? .value : .mean, value: .real(value), sampleCount: 10)
          levels.append(MemoryLevel(limit: limit, row: row))
        }
      }
    }
    return levels
  }

  /// One policy and the control; the last percentile has too few samples.
  static let latency: [ResultRow] = {
    let times: [(Statistic, Double)] = [(.p50, 100_000), (.p99, 900_000), (.p999, 2_000_000)]
    var rows: [ResultRow] = []
    for policy in ["lru", ""] {
      for (statistic, time) in times {
        let isControl = policy.isEmpty
        let metric: Metric = isControl ? .controlNotify : .updateToNotify
        rows.append(
          ResultRow(
            scenario: "file-browser", policy: policy, seed: 1, class: "single", metric: metric,
            statistic: statistic, value: .real(isControl ? time / 2 : time), sampleCount: 2_000))
      }
    }
    return rows
  }()
}
