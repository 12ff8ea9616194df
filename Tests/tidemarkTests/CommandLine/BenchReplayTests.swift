import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark bench-replay", .startsProcesses)
struct BenchReplayTests {
  private static let arguments = [
    "trace", "bench", "--requests", "20000", "--keys", "1000", "--policies", "lru,clairvoyant",
    "--capacities", "10,10%", "--repetitions", "1",
  ]

  @Test("The loop is timed per policy and capacity, next to an empty loop and the whole replay")
  func rows() async throws {
    try await withTemporaryFolder { folder in
      let csv = try await TidemarkProcess.run(Self.arguments + ["--format", "csv"], in: folder)
      #expect(csv.status == 0, "\(csv.errors)")
      let rows = csv.output.split(separator: "\n").map { $0.split(separator: ",") }
      #expect(
        rows.map(\.first) == [
          "policy", "(loop alone)", "lru", "lru", "clairvoyant", "clairvoyant",
          "(exact lru curve)", "(file to numbers)", "(file to result: lru)",
        ])
      // The timed replay has the misses counted elsewhere.
      #expect(rows[2][2] == rows[8][2])
      let table = try await TidemarkProcess.run(Self.arguments, in: folder)
      #expect(table.output.contains("bytes per request (at most 4)"))
    }
  }

  @Test("A recorded trace is timed instead of a generated one, and only with its format")
  func recorded() async throws {
    try await withTemporaryFolder { folder in
      let keys = (0..<500).map { "key \($0 * $0 % 83)\n" }.joined()
      try Data(keys.utf8).write(to: folder.appendingPathComponent("keys.txt"))
      let timed = [
        "trace", "bench", "keys.txt", "--policies", "lru", "--capacities", "7", "--repetitions",
        "1",
        "--format", "csv",
      ]
      let csv = try await TidemarkProcess.run(timed + ["--trace-format", "text"], in: folder)
      #expect(csv.status == 0, "\(csv.errors)")
      let replay = try await TidemarkProcess.run(
        [
          "trace", "replay", "keys.txt", "--trace-format", "text", "--policies", "lru",
          "--capacities", "7",
          "--format", "csv",
        ], in: folder)
      let row = replay.output.split(separator: "\n")[1].split(separator: ",")
      let missRatio = try #require(Double(row[5])) / 500
      #expect(csv.output.contains("lru,7,\(missRatio),"))
      let formatless = try await TidemarkProcess.run(timed, in: folder)
      #expect(formatless.status == 2)
      #expect(formatless.errors.contains("--trace-format"))
    }
  }
}
