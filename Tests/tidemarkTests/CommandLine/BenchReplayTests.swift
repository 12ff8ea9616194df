import Foundation
import Testing

@Suite("tidemark bench-replay")
struct BenchReplayTests {
  private static let arguments = [
    "bench-replay", "--requests", "20000", "--keys", "1000", "--policies", "lru,clairvoyant",
    "--capacities", "10,10%", "--repetitions", "1",
  ]

  @Test("The loop is timed per policy and capacity, beside an empty loop and the whole way")
  func rows() async throws {
    try await withTemporaryFolder { folder in
      let csv = try await TidemarkProcess.run(Self.arguments + ["--format", "csv"], in: folder)
      #expect(csv.status == 0, "\(csv.errors)")
      let rows = csv.output.split(separator: "\n").map { $0.split(separator: ",") }
      #expect(
        rows.map(\.first) == [
          "policy", "(loop alone)", "lru", "lru", "clairvoyant", "clairvoyant",
          "(file to result: lru)",
        ])
      // What is timed is what is counted elsewhere: the way there changes no miss.
      #expect(rows[2][2] == rows[6][2])
      let table = try await TidemarkProcess.run(Self.arguments, in: folder)
      #expect(table.output.contains("bytes per request (at most 4)"))
    }
  }
}
