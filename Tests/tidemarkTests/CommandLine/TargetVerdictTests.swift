import CacheTestSupport
import Testing

@Suite("Targets of every command", .startsProcesses)
struct TargetVerdictTests {
  @Test("simulate, bench and gate judge a target alike: by its worst seed, which they name")
  func oneJudge() async throws {
    try await withTemporaryFolder { folder in
      func run(_ arguments: String...) async throws -> TidemarkProcess {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run
      }
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let rows = TidyRow.all(
        in: try await run(
          "simulate", "small.yaml", "--policies", "lru", "--seeds", "6", "--no-robustness",
          "--format",
          "csv"
        ).output
      ).filter {
        $0["metric"] == "hit_ratio" && $0["class"] == "total" && !$0["seed"].isEmpty
      }
      let values = rows.compactMap { Double($0["value"]) }
      let worst = try #require(values.min())
      let mean = values.reduce(0, +) / 6
      try #require(values.count == 6 && worst < mean)
      let seed = try #require(rows.first { Double($0["value"]) == worst })["seed"]
      // The mean reaches it, the worst seed does not.
      let limit = (worst + mean) / 2
      try folder.write(
        SmallScenario.yaml + "targets: [{metric: hit_ratio, at-least: '\(limit * 100) %', "
          + "policies: [lru]}]\n", to: "small.yaml")

      let place = " in seed \(seed)"
      let simulated = try await run(
        "simulate", "small.yaml", "--policies", "lru", "--seeds", "6", "--no-robustness")
      #expect(
        simulated.output.contains(place) && simulated.output.contains("0 met, 1 missed"),
        "\(simulated.output)")
      let bench = try await run(
        "bench", "small.yaml", "--policies", "lru", "--seeds", "6", "--exact-only", "--per-seed",
        "--output", "report")
      #expect(
        bench.output.contains(place) && bench.output.contains("0 met, 1 missed"), "\(bench.output)")
      #expect(try folder.read("report/verdicts.json").contains(place))
      _ = try await run(
        "bench", "small.yaml", "--policies", "lru", "--baseline", "--output", "baseline")
      for candidate in [[], ["--candidate", "report"]] {
        let gate = try await TidemarkProcess.run(
          ["gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json"] + candidate,
          in: folder)
        #expect(gate.output.contains("targets: 1 missed as in the baseline"), "\(gate.output)")
        let verdict = try folder.read("verdict.json")
        #expect(verdict.contains("\"seed\": \(seed)") && verdict.contains("\"measured\": \(worst)"))
      }
    }
  }
}
