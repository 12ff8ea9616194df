import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark tune", .startsProcesses)
struct TuneTests {
  private func run(_ arguments: [String], in folder: URL) async throws -> TidemarkProcess {
    let run = try await TidemarkProcess.run(["tune"] + arguments, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  @Test("A field that a policy ignores is reported, and its settings share a row")
  func ignoredField() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let lru = try await run(
        ["small.yaml", "--policies", "lru", "--vary", "time-to-live=10s,60s,5min"], in: folder)
      #expect(
        lru.errors.hasPrefix("small: time-to-live changes nothing for lru; "), "\(lru.errors)")
      let marks = lru.output.split(separator: "\n").filter {
        $0.contains("time-to-live=") && !$0.hasPrefix("best")
      }
      .map { $0.prefix(3).suffix(1) }
      #expect(marks == ["*"], "\(lru.output)")
      #expect(lru.output.contains("2 settings that are the same cache"))
      let ttl = try await run(
        ["small.yaml", "--policies", "ttl", "--vary", "time-to-live=10s,60s"], in: folder)
      #expect(ttl.errors == "")
    }
  }

  @Test("In CSV each field has a column, with one spelling of a value, and the front has one")
  func columns() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      func rows(_ values: String) async throws -> [TidyRow] {
        TidyRow.all(
          in: try await run(
            [
              "small.yaml", "--policies", "lru,unbounded", "--vary", "capacity-entities=\(values)",
              "--vary", "eviction-order=sieve", "--format", "csv",
            ], in: folder
          ).output)
      }
      let list = try await rows("100,1_000")
      #expect(list == (try await rows("100 entities,1000")))
      #expect(Set(list.map { $0["policy"] }) == ["lru"])
      #expect(Set(list.map { $0["capacity-entities"] }) == ["100 entities", "1000 entities"])
      #expect(list.allSatisfy { $0["eviction-order"] == "sieve" })
      #expect(list.contains { $0["on_front"] == "yes" })
    }
  }

  @Test("Users have equal weight, however much each of them reads")
  func users() async throws {
    try await withTemporaryFolder { folder in
      for (user, duration) in [("short", "1 min"), ("long", "8 min")] {
        let yaml = SmallScenario.yaml.replacing("duration: 2 min", with: "duration: \(duration)")
        try folder.write(yaml, to: "small.yaml")
        let recorded = try await TidemarkProcess.run(
          "simulate", "small.yaml", "--policies", "lru", "--no-robustness", "--record",
          "\(user).jsonl", in: folder)
        #expect(recorded.status == 0, "\(recorded.errors)")
      }
      func ratio(_ files: String...) async throws -> Double {
        let rows = TidyRow.all(
          in: try await run(
            files + [
              "--policies", "lru", "--vary", "capacity-entities=1_000", "--format", "csv",
            ], in: folder
          ).output)
        let row = try #require(
          rows.first { $0["metric"] == "fresh_hit_ratio" && $0["class"] == "all" })
        return try #require(Double(row["value"]))
      }
      let (short, long) = (try await ratio("short.jsonl"), try await ratio("long.jsonl"))
      let both = try await ratio("short.jsonl", "long.jsonl")
      try #require(abs(short - long) > 0.02)
      #expect(abs(both - (short + long) / 2) < 1e-6)
    }
  }

  @Test("A recording next to a scenario is tuned by itself")
  func mixed() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let other = SmallScenario.yaml.replacing("name: small", with: "name: other")
      try folder.write(other, to: "other.yaml")
      let recorded = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "s.jsonl", in: folder)
      #expect(recorded.status == 0, "\(recorded.errors)")
      let both = try await run(
        [
          "s.jsonl", "other.yaml", "--policies", "lru", "--seeds", "2", "--vary",
          "capacity-entities=100,1000",
        ], in: folder)
      #expect(both.errors.contains("\nno total: "), "\(both.errors)")
      #expect(both.output.contains("→ best of 1 user, not validated: "))
      #expect(both.output.contains("(2 seeds)"))
    }
  }

  @Test("A recording is tuned as the scenario that it was drawn from")
  func recording() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let recorded = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "s.jsonl", in: folder)
      #expect(recorded.status == 0, "\(recorded.errors)")
      let arguments = ["--policies", "lru", "--vary", "capacity-entities=100,1000"]
      let drawn = try await run(["small.yaml"] + arguments, in: folder)
      let replayed = try await run(["s.jsonl"] + arguments, in: folder)
      // The first line says of how much it is the best.
      let tables = [drawn, replayed].map { $0.output.split(separator: "\n").dropFirst() }
      #expect(tables[0] == tables[1] && !tables[0].isEmpty)
      #expect(replayed.output.contains("best of 1 user, not validated: lru"))
    }
  }
}
