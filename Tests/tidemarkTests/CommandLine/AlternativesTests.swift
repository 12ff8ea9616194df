import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark alternatives", .startsProcesses)
struct AlternativesTests {
  @Test(
    "Each alternative runs in its own process, and has rows, ratios to ours, and a place in the table"
  )
  func rows() async throws {
    try await withTemporaryFolder { folder in
      let small = ["--rounds", "1", "--events", "24", "--rate", "20000"]
      let csv = try await TidemarkProcess.run(
        ["measure", "alternatives", "--workloads", "single-one-observed", "--format", "csv"]
          + small, in: folder)
      #expect(csv.status == 0, "\(csv.errors)")
      let rows = csv.output.split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      func policies(_ metric: String) -> [Substring] {
        rows.filter {
          $0[4] == metric && $0[5] == "p50" && $0[3] == "single-one-observed/hot"
        }.map { $0[1] }
      }
      let alternatives: [Substring] = [
        "literal-actor", "grdb-value-observation", "nscache", "mutex-dictionary",
      ]
      #expect(policies("event_cost") == ["ours"] + alternatives)
      #expect(policies("notify") == ["ours"] + alternatives)
      #expect(policies("apply_ratio") == alternatives)
      #expect(policies("control_event_cost") == [""])

      let table = try await TidemarkProcess.run(
        ["measure", "alternatives", "mutex-dictionary", "--workloads", "single-one-observed"]
          + small, in: folder)
      #expect(table.status == 0, "\(table.errors)")
      #expect(table.output.contains("mutex-dictionary"))
      #expect(!table.output.contains("nscache"))
      #expect(try folder.entries() == [])
    }
  }

  @Test("An unknown name is refused, with the known ones")
  func unknown() async throws {
    try await withTemporaryFolder { folder in
      let alternative = try await TidemarkProcess.run(
        ["measure", "alternatives", "nscach"], in: folder)
      #expect(alternative.status == 2)
      #expect(alternative.errors.contains("did you mean \"nscache\"?"))
      let workload = try await TidemarkProcess.run(
        ["measure", "alternatives", "--workloads", "double"], in: folder)
      #expect(workload.status == 2)
      #expect(workload.errors.contains("batch-100"))
    }
  }
}
