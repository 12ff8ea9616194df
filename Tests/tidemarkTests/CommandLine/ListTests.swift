import CacheTestSupport
import CommandLineInterface
import Foundation
import Testing
import Workloads

@Suite("tidemark list and help", .startsProcesses)
struct ListTests {
  @Test("Every committed scenario is read with the full vocabulary, from a folder below too")
  func scenariosParse() async throws {
    let below = SourceFile.top.appendingPathComponent("Documentation")
    let run = try await TidemarkProcess.run("list", "scenarios", in: below)
    #expect(run.status == 0, "\(run.errors)")
    let files = try SourceFile.top.appendingPathComponent("Scenarios").entries()
      .filter { $0.hasSuffix(".yaml") }
    #expect(!files.isEmpty)
    for file in files { #expect(run.output.contains(file.dropLast(5)), "\(file)") }
  }

  @Test(
    "Lists are tables, and JSON for scripts",
    arguments: [
      ("policies", "sieve"), ("presets", "spacedrive"), ("metrics", "fresh_hit_ratio"),
    ])
  func listsAreTables(subject: String, entry: String) async throws {
    try await withTemporaryFolder { folder in
      let table = try await TidemarkProcess.run("list", subject, in: folder)
      #expect(table.status == 0 && table.output.contains(entry))
      let json = try await TidemarkProcess.run("list", subject, "--format", "json", in: folder)
      #expect(json.status == 0, "\(json.errors)")
      let entries =
        try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
      #expect(entries?.contains { $0["name"] as? String == entry } == true)
    }
  }

  @Test("The list of trace formats is in the documents too")
  func formats() async throws {
    try await withTemporaryFolder { folder in
      let table = try await TidemarkProcess.run("trace", "formats", in: folder)
      #expect(table.status == 0 && table.output.contains("be32"))
    }
  }

  @Test("All commands fit on one screen, in four groups")
  func oneScreen() async throws {
    try await withTemporaryFolder { folder in
      let help = try await TidemarkProcess.run("--help", in: folder).output
      #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
      for group in ["DECIDE", "RUN IN CI", "LOOK CLOSER", "FOR AUTHORS OF CACHES"] {
        #expect(help.contains("\(group) SUBCOMMANDS"), "\(help)")
      }
    }
  }

  @Test(
    "A command that was renamed answers with its new name",
    arguments: [
      ("memory", "measure memory"), ("peers", "measure alternatives"),
      ("replay", "trace replay"),
      ("bench-replay", "trace bench"), ("soak", "measure soak"),
      ("bench-designs", "measure designs"),
    ])
  func renamed(old: String, new: String) async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(old, "--quick", in: folder)
      #expect(run.status == 2)
      #expect(run.errors == "tidemark: \"\(old)\" is now \"tidemark \(new)\"\n")
    }
  }

  @Test(
    "Help goes to standard output and ends with exit code 0",
    arguments: [
      [], ["--help"], ["help"], ["bench", "--help"], ["simulate", "--help"],
      ["measure", "latency", "--help"], ["measure", "designs", "--help"],
      ["trace", "replay", "--help"], ["trace", "curve", "--help"], ["trace", "convert", "--help"],
      ["explain", "--help"],
      ["tune", "--help"],
      ["gate", "--help"], ["check", "--help"],
      ["list", "--help"],
    ])
  func help(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(arguments, in: folder)
      #expect(run.status == 0)
      #expect(run.errors == "")
      #expect(run.output.contains("USAGE: tidemark"))
    }
  }
}

@Suite("The schema of scenarios")
struct SchemaTests {
  @Test("The schema that editors read equals the sections' declarations")
  func isCommitted() throws {
    let schema = try ScenarioSchema(vocabulary: .all).document()
    #expect(
      try SourceFile.top.read("Scenarios/schema.json") == String(decoding: schema, as: UTF8.self),
      "renew it: tidemark list schema > Scenarios/schema.json")
  }
}
