import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark sweep", .startsProcesses)
struct SweepTests {
  private func run(
    _ arguments: String, in folder: URL, status: Int32 = 0
  ) async throws -> TidemarkProcess {
    let run = try await TidemarkProcess.run(
      arguments.split(separator: " ").map(String.init), in: folder)
    #expect(run.status == status, "\(arguments): \(run.errors)")
    return run
  }

  private static let search =
    "small.yaml --policies lru --seeds 3 --vary capacity-entities=100,1000 --vary eviction-order=lru,fifo"

  private func plan(in folder: URL) async throws {
    try folder.write(SmallScenario.yaml, to: "small.yaml")
    _ = try await run("sweep plan \(Self.search) --output plan.json", in: folder)
  }

  @Test("However it is split, the merged result is that of one machine, byte for byte")
  func equals() async throws {
    try await withTemporaryFolder { folder in
      try await plan(in: folder)
      let single = try await run("tune \(Self.search) --format csv", in: folder)
      // Everything is in the plan.
      try FileManager.default.removeItem(at: folder.appendingPathComponent("small.yaml"))
      for count in [1, 5] {
        for shard in (1...count).reversed() {
          _ = try await run(
            "sweep run plan.json --shard \(shard)/\(count) --output s\(count)", in: folder)
        }
        let merged = try await run("sweep merge plan.json s\(count) --format csv", in: folder)
        #expect(merged.output == single.output)
      }
    }
  }

  @Test(
    "The goal decides as in tune: the scenario's own with its limits, or that of --objective",
    arguments: ["", " --objective read_wait,bytes_fetched"])
  func goals(options: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(
        SmallScenario.yaml
          + "goal: {maximise: fresh_hit_ratio, subject-to: ['stale_read_share <= 100 %']}\n",
        to: "small.yaml")
      let search = Self.search + options
      _ = try await run("sweep plan \(search) --output plan.json", in: folder)
      _ = try await run("sweep run plan.json --shard 1/1", in: folder)
      for format in ["csv", "table"] {
        let single = try await run("tune \(search) --format \(format)", in: folder)
        let merged = try await run("sweep merge plan.json --format \(format)", in: folder)
        #expect(merged.output == single.output)
      }
    }
  }

  @Test("A result does not replace the plan or a shard")
  func outputs() async throws {
    try await withTemporaryFolder { folder in
      try await plan(in: folder)
      let plan = try folder.read("plan.json")
      _ = try await run("sweep run plan.json --shard 1/1", in: folder)
      for output in ["plan.json", "shards/shard-1-of-1.jsonl"] {
        let refused = try await run(
          "sweep merge plan.json --output \(output)", in: folder, status: 2)
        #expect(refused.errors.contains("is read, and would be replaced"), "\(refused.errors)")
      }
      _ = try await run(
        "sweep plan \(Self.search) --output small.yaml", in: folder, status: 2)
      #expect(try folder.read("plan.json") == plan)
      #expect(try folder.read("small.yaml") == SmallScenario.yaml)
    }
  }

  @Test(
    "A shard that is missing, doubled, cut off or of another plan is named, and nothing is written")
  func refuses() async throws {
    try await withTemporaryFolder { folder in
      try await plan(in: folder)
      for shard in 1...3 {
        _ = try await run("sweep run plan.json --shard \(shard)/3 --output shards", in: folder)
      }
      let shards = folder.appendingPathComponent("shards")
      let second = try shards.read("shard-2-of-3.jsonl")
      func merge(_ said: String) async throws {
        let merged = try await run(
          "sweep merge plan.json shards --output all.csv", in: folder, status: 4)
        #expect(merged.errors.contains(said), "\(merged.errors)")
        #expect(try !folder.entries().contains("all.csv"))
      }
      try FileManager.default.removeItem(at: shards.appendingPathComponent("shard-2-of-3.jsonl"))
      try await merge("runs 5 to 8 are missing; run again with --shard 2/3")
      try shards.write(second, to: "shard-2-of-3.jsonl")
      try shards.write(second, to: "twice.jsonl")
      try await merge("runs 5 to 8 are doubled, in shard-2-of-3.jsonl and twice.jsonl")
      try FileManager.default.removeItem(at: shards.appendingPathComponent("twice.jsonl"))
      let lines = second.split(separator: "\n")
      try shards.write(lines.dropLast().joined(separator: "\n") + "\n", to: "shard-2-of-3.jsonl")
      try await merge("shard-2-of-3.jsonl:5: has 3 of 4 runs: it was cut off")
      try shards.write(
        second.replacing("\"plan\":\"", with: "\"plan\":\"0"), to: "shard-2-of-3.jsonl")
      try await merge("shard-2-of-3.jsonl: is of another plan")
    }
  }

  @Test("An engine that numbers its tasks names the shard")
  func engines() async throws {
    try await withTemporaryFolder { folder in
      try await plan(in: folder)
      func shard(_ environment: String) async throws -> TidemarkProcess {
        try await TidemarkProcess.run(
          "sweep", "run", "plan.json", "--shards", "12", in: folder, by: "\(environment) \"$@\"")
      }
      #expect(try await shard("SLURM_ARRAY_TASK_ID=2").status == 0)
      #expect(try await shard("JOB_COMPLETION_INDEX=2").status == 0)
      #expect(try await shard("PARALLEL_SEQ=12").status == 0)
      #expect(
        try folder.appendingPathComponent("shards").entries()
          == ["shard-12-of-12.jsonl", "shard-2-of-12.jsonl", "shard-3-of-12.jsonl"])
      for (environment, said) in [
        ("", "no shard"), ("SLURM_ARRAY_TASK_ID=0", "there is no shard 0 of 12"),
        ("PARALLEL_SEQ=13", "there is no shard 13 of 12"), ("PARALLEL_SEQ=x", "not a whole number"),
        ("PARALLEL_SEQ=1 SLURM_ARRAY_TASK_ID=1", "two engines number this task"),
      ] {
        let run = try await shard(environment)
        #expect(run.status == 2 && run.errors.contains(said), "\(run.errors)")
      }
    }
  }

  @Test("A changed or invalid plan is refused; so is a search that cannot be split")
  func plans() async throws {
    try await withTemporaryFolder { folder in
      try await plan(in: folder)
      let text = try folder.read("plan.json")
      try folder.write(text.replacing("\"seeds\": 3", with: "\"seeds\": 4"), to: "plan.json")
      let changed = try await run("sweep run plan.json --shard 1/1", in: folder, status: 2)
      #expect(changed.errors.contains("it was changed by hand"))
      try folder.write("{}", to: "plan.json")
      let none = try await run("sweep merge plan.json", in: folder, status: 2)
      #expect(none.errors.contains("this is not a plan of a sweep"))
      let halving = try await run(
        "sweep plan \(Self.search) --method halving", in: folder, status: 2)
      #expect(halving.errors.contains("cannot be split among machines"))
    }
  }
}
