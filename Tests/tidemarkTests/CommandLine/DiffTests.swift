import Analysis
import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark diff", .startsProcesses)
struct DiffTests {
  private func run(_ arguments: String..., in folder: URL) async throws -> (Int32, String, String) {
    let run = try await TidemarkProcess.run(arguments, in: folder)
    return (run.status, run.output, run.errors)
  }

  @Test("Two policies of a file, and one policy of two files, are compared read by read")
  func compares() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let simulated = try await run(
        "simulate", "small.yaml", "--policies", "lru,no-cache", "--no-robustness",
        "--outcomes", "reads.csv",
        "--format", "csv", "--output", "results.csv", in: folder)
      #expect(simulated.0 == 0, "\(simulated.2)")
      // As many lines as the results count reads.
      let counted = TidyRow.all(in: try folder.read("results.csv")).filter {
        $0["class"] == "all" && $0["metric"] == "reads"
      }.compactMap { Int($0["value"]) }
      let lines = try folder.read("reads.csv").split(separator: "\n").count - 1
      #expect(counted.count == 2 && counted.reduce(0, +) == lines, "\(counted), \(lines)")

      let differing = try await run("diff", "reads.csv", "--show", "2", in: folder)
      #expect(differing.0 == 1)
      #expect(differing.1.contains("the first 2 that differ"), "\(differing.1)")
      let same = try await run("diff", "reads.csv", "reads.csv", "--policies", "lru", in: folder)
      #expect(same.0 == 0, "\(same.2)")
      #expect(same.1 == "\(counted[0]) reads in both: \(counted[0]) the same, 0 not\n")

      // A file that was cut off lacks reads, and nobody waited longer.
      let whole = try folder.read("reads.csv").split(separator: "\n")
      try folder.write(whole.prefix(9).joined(separator: "\n") + "\n", to: "cut.csv")
      let cut = try await run("diff", "reads.csv", "cut.csv", "--policies", "lru", in: folder)
      #expect(cut.0 == 1, "\(cut.2)")
      #expect(
        cut.1 == "8 reads in both: 8 the same, 0 not\n\(counted[0] - 8) more in reads.csv alone\n")
    }
  }

  @Test(
    "Files that cannot be compared are refused by name",
    arguments: [
      (["diff"], "<FILE> is missing"), (["diff", "a.csv"], "name two of them"),
      (["diff", "a.csv", "b.csv"], "no read is in both"),
      (["diff", "a.csv", "--policies", "lru,arc"], "no reads of arc"),
      (["diff", "a.csv", "b.csv", "--policies", "lru,lru,lru"], "3 names"),
      (["diff", "a.csv", "none.csv"], "none.csv"),
      (["diff", "small.yaml", "a.csv"], "not a table of reads"),
      (["diff", "a.csv", "b.csv", "--show", "-1"], "--show"),
      (["diff", "empty.csv", "a.csv"], "no reads"),
      (["simulate", "small.yaml", "--outcomes", "x", "--record", "x"], "both name x"),
      (["simulate", "small.yaml", "--outcomes", "none/x"], "none/x"),
    ])
  func refused(arguments: [String], expected: String) async throws {
    try await withTemporaryFolder { folder in
      let head =
        "scenario,policy,seed,client,action,at_ns,read,outcome,waited_ns,age_ns,difference,row\n"
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write(head + "s,lru,1,c,1,5,q,failed,,,,\n", to: "a.csv")
      try folder.write(head + "s,lru,2,c,1,5,q,failed,,,,\n", to: "b.csv")
      try folder.write(head, to: "empty.csv")
      let run = try await TidemarkProcess.run(arguments, in: folder)
      #expect(run.status == 2 || arguments.contains("none/x") && run.status == 5)
      #expect(run.errors.contains(expected), "\(run.errors)")
      #expect(run.output == "")
    }
  }
}

@Suite("Targets of every command", .startsProcesses)
struct TargetVerdictTests {
  @Test("simulate, bench and gate judge a target the same way: by its worst seed, which they name")
  func oneJudge() async throws {
    try await withTemporaryFolder { folder in
      func run(_ arguments: String...) async throws -> TidemarkProcess {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run
      }
      func hitRatios(from first: Int, _ seeds: Int) async throws -> [(seed: Int, value: Double)] {
        TidyRow.all(
          in: try await run(
            "simulate", "small.yaml", "--policies", "lru", "--seed", "\(first)", "--seeds",
            "\(seeds)", "--no-robustness", "--format", "csv"
          ).output
        ).compactMap { row in
          guard row["metric"] == "hit_ratio", row["class"] == "total", let seed = Int(row["seed"])
          else { return nil }
          return Double(row["value"]).map { (seed, $0) }
        }
      }
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let ratios = try await hitRatios(from: 1, 40)
      try #require(ratios.count == 40)
      // Where the next seed is worse than all that are judged, a judge of one more would tell another.
      let count = TargetJudge.seeds
      let first = try #require(
        (0..<(40 - count)).first { start in
          ratios[start..<(start + count)].allSatisfy { $0.value > ratios[start + count].value }
        })
      let judged = ratios[first..<(first + count)]
      let (seed, worst) = try #require(judged.min { $0.value < $1.value })
      let mean = judged.reduce(0) { $0 + $1.value } / Double(count)
      try #require(worst < mean)
      // The mean reaches it, the worst seed does not.
      let limit = (worst + mean) / 2
      try folder.write(
        "seed: \(ratios[first].seed)\n" + SmallScenario.yaml
          + "targets: [{metric: hit_ratio, at-least: '\(limit * 100) %', policies: [lru]}]\n",
        to: "small.yaml")

      let place = " in seed \(seed)"
      let simulated = try await run(
        "simulate", "small.yaml", "--policies", "lru,ttl", "--seeds", "auto", "--no-robustness")
      #expect(
        simulated.output.contains(place) && simulated.output.contains("0 met, 1 missed"),
        "\(simulated.output)")
      // More seeds have a worse worst one; the same are judged.
      let bench = try await run(
        "bench", "small.yaml", "--policies", "lru", "--seeds", "9", "--exact-only", "--per-seed",
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
