import CacheTestSupport
import Foundation
import Processes
import RealTime
import ResultModel
import Testing

@Suite("Memory of caches", .startsProcesses)
struct DesignMemoryTests {
  private static let memory = TidemarkProcess.executable(named: "tidemark-memory")

  /// Exit code 4 says that jemalloc is not there; anything else is for the test to see.
  private static let isCounted: Bool = {
    let process = Process()
    process.executableURL = memory
    process.arguments = ["allocator"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus != 4
  }()

  @Test(
    "equals the simulator's prediction, within a tenth: in all, and the tables alone",
    .enabled(if: isCounted, "no jemalloc"))
  func predicted() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(Self.memory, ["designs"], in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let rows = try ChildRows.rows(in: run.output, seed: 1)
      var seen: Set<[String]> = []
      for row in rows where row.metric == .cacheTotalBytes {
        let place = [row.scenario, row.policy, "\(row.class)"]
        #expect(seen.insert(place).inserted)
        let predicted = rows.first {
          $0.metric == .predictedBytes
            && [$0.scenario, $0.policy, "\($0.class)"] == place
        }
        let ratio =
          try #require(predicted?.value?.asDouble) / (try #require(row.value?.asDouble))
        #expect((0.9...1.1).contains(ratio), "\(place): \(ratio)")
        // As many as requested, apart from rows that the repository's tables have from lists.
        let entries = try #require(Int(row.scenario.prefix { $0 != " " }))
        let known = try #require(row.sampleCount)
        #expect(known > entries * 4 / 5 && known < entries * 3 / 2, "\(place): \(known)")
      }
      #expect(seen.count == 3 * 3 * 2)
    }
  }

  @Test(
    "A scenario that builds on a shipped model is counted too, in any folder",
    .enabled(if: isCounted, "no jemalloc"))
  func shippedModel() async throws {
    try await withTemporaryFolder { folder in
      let scenario = try SourceFile.top.read("Scenarios/search-as-you-type.yaml")
      try folder.write(scenario, to: "typed.yaml")
      let run = try await TidemarkProcess.run(
        Self.memory, ["policies", "lru", "typed.yaml"], in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let rows = try ChildRows.rows(in: run.output, seed: 1)
      #expect(rows.contains { $0.policy == "lru" && $0.value?.asDouble ?? 0 > 0 })
      let wrong = try await TidemarkProcess.run(
        Self.memory, ["policies", "lru", "none.yaml"], in: folder)
      #expect(wrong.status == 2, "\(wrong.errors)")
    }
  }
}
