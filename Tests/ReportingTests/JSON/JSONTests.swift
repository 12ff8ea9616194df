import Analysis
import ResultModel
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

  @Test("a verdict names every finding and target")
  func verdict() throws {
    let row = ResultRow(
      scenario: "s", policy: "lru", seed: 1, metric: .fetches, value: .integer(100))
    var worse = row
    worse.value = .integer(102)
    let target = Target(
      scenario: "s", metric: .fetches, comparison: .atMost, limit: 100, policies: ["lru"])
    func recording(_ capacity: String) -> ScenarioIdentity {
      ScenarioIdentity(
        scenario: "s", workload: [.init("recording", "0f")],
        contenders: [
          .init("cache.capacity-entities", capacity), .init(target.path(of: "lru"), "100.0"),
        ], isRecorded: true)
    }
    let verdict = Gate.compare(
      baseline: ResultSet(
        scenarios: [recording("9")], rows: [row], digests: RunDigest.all(of: [row])),
      candidate: ResultSet(
        scenarios: [recording("8")], rows: [worse], digests: RunDigest.all(of: [worse])),
      targets: [target])
    expectSnapshot(
      try VerdictJSON.document(verdict),
      """
      {
        "verdict_version": 3,
        "schema_version": \(ResultSchema.version),
        "outcome": "failed",
        "exit_code": 1,
        "strict": false,
        "equal_figures": 0,
        "runs": 1,
        "equal_runs": 0,
        "changed_policies": [
          {
            "scenario": "s",
            "policy": "lru",
            "seeds": [
              1
            ],
            "compared": 1,
            "named": true
          }
        ],
        "counts": {
          "worse": 1,
          "removed": 0,
          "missing": 0,
          "invalid": 0,
          "better": 0,
          "changed": 0,
          "added": 0,
          "added_policy": 0
        },
        "incompatibilities": [],
        "contender_changes": [
          {
            "scenario": "s",
            "field": "cache.capacity-entities",
            "baseline": "9",
            "candidate": "8"
          }
        ],
        "findings": [
          {
            "kind": "worse",
            "scenario": "s",
            "policy": "lru",
            "class": "total",
            "metric": "fetches",
            "statistic": "value",
            "unit": "count",
            "seeds": 1,
            "baseline": 100.0,
            "candidate": 102.0,
            "difference": 2.0,
            "half_width": null
          }
        ],
        "failed_runs": [],
        "measured": [],
        "not_compared": [],
        "targets": [
          {
            "scenario": "s",
            "policy": "lru",
            "class": "total",
            "metric": "fetches",
            "statistic": "value",
            "comparison": "at_most",
            "limit": 100.0,
            "measured": 102,
            "baseline": 100,
            "seed": 1,
            "outcome": "missed",
            "reason": null
          }
        ]
      }

      """)
  }

  @Test("a manifest")
  func manifest() throws {
    let manifest = Manifest(
      schemaVersion: 1, programVersion: "0.1.0", command: ["bench", "--seed", "7"], seeds: [7],
      contenders: [ContenderIdentity(scenario: "s", policy: "lru")],
      scenarios: [ScenarioIdentity(scenario: "s", workload: [.init("seed", "1")])],
      startedAt: "2026-01-01T00:00:00Z",
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
        "scenarios": [
          {
            "scenario": "s",
            "policies": [
              "lru"
            ],
            "recorded": false,
            "workload": {
              "seed": "1"
            },
            "contenders": {}
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
