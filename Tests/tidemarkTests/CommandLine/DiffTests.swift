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
    }
  }

  @Test(
    "What cannot be compared is refused by name",
    arguments: [
      (["diff"], "Missing expected argument"), (["diff", "a.csv"], "name two of them"),
      (["diff", "a.csv", "b.csv"], "no read is in both"),
      (["diff", "a.csv", "--policies", "lru,arc"], "no reads of arc"),
      (["diff", "a.csv", "b.csv", "--policies", "lru,lru,lru"], "3 names"),
      (["diff", "a.csv", "none.csv"], "none.csv"), (["diff", "small.yaml", "a.csv"], "the header"),
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
