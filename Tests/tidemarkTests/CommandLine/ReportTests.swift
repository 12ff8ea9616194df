import CacheTestSupport
import Foundation
import Testing

@Suite("Reports of folders", .startsProcesses)
struct ReportTests {
  /// Makes a folder of exact results of a small scenario.
  private func bench(
    _ name: String, seed: String = "1", _ options: String..., in folder: URL
  ) async throws {
    try folder.write(SmallScenario.yaml, to: "small.yaml")
    let run = try await TidemarkProcess.run(
      ["bench", "small.yaml", "--exact-only", "--seeds", "3", "--seed", seed, "--output", name]
        + options, in: folder)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test("The page that bench writes is made again from its folder, byte for byte")
  func again() async throws {
    try await withTemporaryFolder { folder in
      try await bench("results", in: folder)
      let report = folder.appendingPathComponent("results")
      #expect(
        try report.entries() == [
          "index.html", "manifest.json", "policies.csv", "reads.csv", "report.txt",
          "results.csv",
          "timeline.csv", "verdicts.json",
        ])
      let first = try report.read("index.html")
      #expect(first.hasPrefix("<!doctype html>"))
      try FileManager.default.removeItem(at: report.appendingPathComponent("index.html"))
      let run = try await TidemarkProcess.run("report", "results", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors == "report: results/index.html\n")
      #expect(run.output == "")
      #expect(try report.read("index.html") == first)
    }
  }

  @Test("The rows of the page are made again by the command that it names")
  func rowsCommand() async throws {
    try await withTemporaryFolder { folder in
      try await bench("results", in: folder)
      let page = try folder.read("results/index.html")
      let command = "simulate small.yaml --seed 1 --seeds 3 --no-robustness --format csv"
      #expect(page.contains("<code>tidemark \(command)</code>"))
      let run = try await TidemarkProcess.run(
        command.split(separator: " ").map(String.init), in: folder)
      let rows = try folder.read("results/results.csv").split(separator: "\n")
      let made = Set(run.output.split(separator: "\n"))
      #expect(rows.count > 100 && rows.allSatisfy(made.contains))
      // One row for each figure, over the seeds.
      let cells = rows.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      #expect(cells.dropFirst().allSatisfy { $0[2].isEmpty && !$0[6].isEmpty })
    }
  }

  @Test(
    "--per-seed writes the rows of every seed into a file of their own, and the page is the same again"
  )
  func perSeed() async throws {
    try await withTemporaryFolder { folder in
      try await bench("results", "--per-seed", in: folder)
      let rows = TidyRow.all(in: try folder.read("results/seeds.csv"))
      #expect(Set(rows.map { $0["seed"] }) == ["1", "2", "3"])
      let first = try folder.read("results/index.html")
      #expect(first.contains("href=\"seeds.csv\""))
      let run = try await TidemarkProcess.run("report", "results", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try folder.read("results/index.html") == first)
      let baseline = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--per-seed", "--output", "b", in: folder)
      #expect(baseline.status == 2)
      #expect(baseline.errors.contains("a baseline has digests of its seeds"), "\(baseline.errors)")
    }
  }

  @Test("A baseline is a folder of results too: for a page, a trend, and a comparison seed by seed")
  func baseline() async throws {
    try await withTemporaryFolder { folder in
      try await bench("a", "--per-seed", in: folder)
      let made = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--output", "b", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      #expect(
        try folder.appendingPathComponent("b").entries() == ["baseline.csv", "manifest.json"])
      let run = try await TidemarkProcess.run("report", "a", "b", "--format", "table", in: folder)
      #expect(run.output.contains("0.0 ± 0.0"), "\(run.output) \(run.errors)")
      for arguments in [["report", "b"], ["report", "--trend", "a", "b"]] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
      }
    }
  }

  @Test("Two folders are set side by side, as text or as a page")
  func twoFolders() async throws {
    try await withTemporaryFolder { folder in
      try await bench("a", "--per-seed", in: folder)
      try await bench("b", seed: "2", "--per-seed", in: folder)
      let text = try await TidemarkProcess.run(
        "report", "a", "b", "--format", "table", in: folder)
      #expect(text.status == 0, "\(text.errors)")
      // Seeds 1 to 3 and 2 to 4: two are common, and the same.
      #expect(text.output.contains("small     lru"), "\(text.output)")
      #expect(text.output.contains("0.0 ± 0.0"))
      let page = try await TidemarkProcess.run("report", "a", "b", in: folder)
      #expect(page.errors == "report: a/comparison.html\n")
      #expect(try folder.read("a/comparison.html").contains("n = 2 common seeds, paired"))
    }
  }

  @Test("A trend names the last folder's changes, and is next to the folders")
  func trend() async throws {
    try await withTemporaryFolder { folder in
      try await bench("a", in: folder)
      try await bench("b", seed: "2", in: folder)
      let run = try await TidemarkProcess.run("report", "--trend", "a", "b", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try folder.read("trend.html").contains("<li>fresh_hit_ratio/small/lru: "))
      let old = try await TidemarkProcess.run("trend", "trend.csv", in: folder)
      #expect(old.errors.contains("\"trend\" is now \"tidemark report --trend\""))
    }
  }

  @Test(
    "A folder that is none, or not of this version, is refused with the remedy",
    arguments: [
      (["nowhere"], "nowhere: no such folder; run `tidemark bench`"),
      (["small.yaml"], "small.yaml: not a folder; name the folder with results.csv"),
      (["results", "results", "results"], "3 folders: two can be compared; add --trend"),
      (["results", "--format", "table"], "--format table requires two folders to compare"),
      (["empty"], "empty: no results.csv here; run `tidemark bench`, then"),
      (["old"], "old/results.csv: schema version 1, and this build reads 3"),
      (["torn"], "torn/verdicts.json: not as this version writes it; run `tidemark bench` again"),
      (["results", "nowhere"], "nowhere: no such folder"),
      (
        ["results", "--scenarios", "smal"],
        "results: no rows of a scenario \"smal\"; did you mean \"small\"?"
      ),
    ])
  func refused(arguments: [String], error: String) async throws {
    try await withTemporaryFolder { folder in
      try await bench("results", in: folder)
      for name in ["empty", "old", "torn"] {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: false)
      }
      let rows = try folder.read("results/results.csv")
      try folder.write(rows.replacing(",3\n", with: ",1\n"), to: "old/results.csv")
      try folder.write(rows, to: "torn/results.csv")
      try folder.write("{\"verdicts_version\":1}", to: "torn/verdicts.json")
      let run = try await TidemarkProcess.run(["report"] + arguments, in: folder)
      #expect(run.status == 2)
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("tidemark: \(error)"), "\(run.errors)")
    }
  }

  @Test("A page that cannot be written is an error, and nothing is left of it")
  func unwritable() async throws {
    try await withTemporaryFolder { folder in
      try await bench("results", in: folder)
      let run = try await TidemarkProcess.run(
        "report", "results", "--output", "nowhere/page.html", in: folder)
      #expect(run.status == 5)
      #expect(run.errors.hasPrefix("tidemark: nowhere/page.html: not written: "))
    }
  }
}
