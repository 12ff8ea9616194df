import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark sensitivity", .startsProcesses)
struct SensitivityTests {
  /// A time to live that is of use as soon as few events arrive.
  private static let yaml = SmallScenario.yaml.replacing(
    "policies:", with: "cache: {time-to-live: {default: 5 s, files.search: 5 s}}\npolicies:")

  private func run(
    _ arguments: String, in folder: URL, status: Int32 = 0
  ) async throws -> TidemarkProcess {
    let run = try await TidemarkProcess.run(
      ["sensitivity"] + arguments.split(separator: " ").map(String.init), in: folder)
    #expect(run.status == status, "\(run.errors)")
    return run
  }

  @Test("A change of ranking is a sentence with an interval, and every point is a row")
  func flips() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.yaml, to: "small.yaml")
      let base =
        "small.yaml --vary cache.time-to-live=1s..8s --policies lru,ttl --objective bytes_fetched "
        + "--seeds 2 --resolution 8"
      let shown = try await run(base, in: folder)
      let first = try #require(shown.output.split(separator: "\n").first)
      #expect(first.hasPrefix("bytes_fetched, cache.time-to-live: "), "\(first)")
      let csv = try await run("\(base) --format csv", in: folder)
      let rows = TidyRow.all(in: csv.output)
      #expect(Set(rows.map { $0["cache.time-to-live"] }).count >= 2)
      #expect(csv.errors.contains("cache.time-to-live: "))
    }
  }

  @Test("Points of several fields together say which policy leads how often")
  func latinHypercube() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.yaml, to: "small.yaml")
      let shown = try await run(
        "small.yaml --vary users.desktop.think=1s..9s --vary writers.laptop.rate=1/min..60/min "
          + "--policies lru,ttl --seeds 2 --method latin-hypercube --trials 4", in: folder)
      #expect(shown.output.hasPrefix("best of 4 points: "), "\(shown.output)")
    }
  }

  @Test(
    "A field that cannot be varied is refused, with the nearest one",
    arguments: [
      ("--vary network.los=0%..5%", "did you mean `loss`?"),
      ("--vary seed=1,2", "not a part of the workload"),
      ("--vary network.loss=5", "has no unit"), ("--vary network.loss=9%..1%", "above the upper"),
      ("--vary network.loss=nan%..1%", "is not a share"), ("--vary network.loss=", "not a field"),
      ("--vary network.loss=1%..5% --vary network.loss=2%", "is given twice"),
      ("--vary users.desktop.mix.browse=50%", "add up to 50 %"),
      ("--vary network.loss=1%..5% --policies lru", "one policy has no ranking"),
      ("--vary network.loss=1%..5% --seeds 1", "--seeds is 1"),
    ])
  func refused(arguments: String, remedy: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.yaml, to: "small.yaml")
      let run = try await run("small.yaml \(arguments)", in: folder, status: 2)
      #expect(run.errors.contains(remedy), "\(run.errors)")
      #expect(run.output == "")
    }
  }
}
