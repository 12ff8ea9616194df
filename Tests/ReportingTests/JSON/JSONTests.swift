import Analysis
import Metrics
import Testing

@testable import Reporting

@Suite("JSON")
struct JSONTests {
  @Test("rows as an array")
  func rows() throws {
    let row = ResultRow(
      scenario: "s", policy: "lru", seed: 1, metric: .hitRatio, value: nil, sampleCount: 0)
    let object =
      #"{"scenario":"s","policy":"lru","seed":1,"class":"total","metric":"hit_ratio","#
      + #""statistic":"value","value":null,"unit":"ratio","noise_class":"exact","n":0,"#
      + #""ci_low":null,"ci_high":null,"schema_version":\#(ResultSchema.version)}"#
    expectSnapshot(try ResultRowsJSON.array([row, row]), "[\n\(object),\n\(object)\n]\n")
    expectSnapshot(try ResultRowsJSON.array([]), "[\n]\n")
  }

  @Test("a verdict names every difference and target")
  func verdict() throws {
    let row = ResultRow(
      scenario: "s", policy: "lru", seed: 1, metric: .fetches, value: .integer(1))
    var worse = row
    worse.value = .integer(2)
    let target = Target(
      scenario: "s", metric: .fetches, comparison: .atMost, limit: 1, policies: ["lru"])
    var unreached = target
    unreached.limit = 0
    var absent = target
    absent.metric = .resyncs
    let digests = [ScenarioDigest(scenario: "s", digest: "d")]
    let verdict = Gate.compare(
      baseline: ResultSet(scenarios: digests, rows: [row]),
      candidate: ResultSet(scenarios: digests, rows: [worse]),
      targets: [target, unreached, absent])
    expectSnapshot(
      try VerdictJSON.document(verdict),
      """
      {
        "schema_version": \(ResultSchema.version),
        "outcome": "failed",
        "exit_code": 1,
        "equal_rows": 0,
        "counts": {
          "regressed": 1,
          "improved": 0,
          "changed": 0,
          "missing": 0,
          "unbaselined": 0,
          "invalid": 0
        },
        "incompatibilities": [],
        "differences": [
          {
            "kind": "regressed",
            "scenario": "s",
            "policy": "lru",
            "seed": 1,
            "class": "total",
            "metric": "fetches",
            "statistic": "value",
            "baseline": 1,
            "candidate": 2
          }
        ],
        "targets": [
          {
            "scenario": "s",
            "policy": "lru",
            "class": "total",
            "metric": "fetches",
            "statistic": "value",
            "comparison": "at_most",
            "limit": 1.0,
            "measured": 2,
            "baseline": 1,
            "seed": 1,
            "outcome": "missed",
            "reason": null
          },
          {
            "scenario": "s",
            "policy": "lru",
            "class": "total",
            "metric": "fetches",
            "statistic": "value",
            "comparison": "at_most",
            "limit": 0.0,
            "measured": 2,
            "baseline": 1,
            "seed": 1,
            "outcome": "still_missed",
            "reason": null
          },
          {
            "scenario": "s",
            "policy": "lru",
            "class": "total",
            "metric": "resyncs",
            "statistic": "value",
            "comparison": "at_most",
            "limit": 1.0,
            "measured": null,
            "baseline": null,
            "seed": null,
            "outcome": "missing",
            "reason": "not measured"
          }
        ]
      }

      """)
  }

  @Test("a manifest")
  func manifest() throws {
    let manifest = Manifest(
      schemaVersion: 1, programVersion: "0.1.0", command: ["bench", "--seed", "7"], seeds: [7],
      policies: ["lru"],
      scenarios: [ScenarioDigest(scenario: "s", digest: "d")], startedAt: "2026-01-01T00:00:00Z",
      elapsedSeconds: 1.5, host: [Manifest.Fact("cores", "2")], toolchain: [])
    expectSnapshot(
      try manifest.document(),
      """
      {
        "schema_version": 1,
        "program_version": "0.1.0",
        "command": [
          "bench",
          "--seed",
          "7"
        ],
        "seeds": [
          7
        ],
        "policies": [
          "lru"
        ],
        "scenarios": [
          {
            "scenario": "s",
            "digest": "d"
          }
        ],
        "started_at": "2026-01-01T00:00:00Z",
        "elapsed_seconds": 1.5,
        "host": {
          "cores": "2"
        },
        "toolchain": {}
      }

      """)
  }
}
