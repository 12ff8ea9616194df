import CacheTestSupport
import Foundation
import Testing

@testable import CommandLineInterface

@Suite("The command line as a whole", .startsProcesses)
struct CommandLineTests {
  private func message(_ arguments: [String]) throws -> String {
    try #require(throws: CommandFailure.self) {
      _ = try CommandRoots.parse(arguments)
    }.message
  }

  @Test("The version is the same wherever it is asked for")
  func version() async throws {
    try await withTemporaryFolder { folder in
      for arguments in [["--version"], ["trace", "replay", "--version"]] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0)
        #expect(run.output == "\(CommandLineMain.version)\n")
      }
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "bench", "small.yaml", "--exact-only", "--policies", "lru", "--output", "report",
        in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let manifest = try folder.read("report/manifest.json")
      #expect(manifest.contains("\"program_version\": \"\(CommandLineMain.version)\""))
    }
  }

  @Test(
    "An option that is there twice is refused, in either spelling",
    arguments: [
      ["simulate", "a", "--seed", "1", "--seed", "2"],
      ["simulate", "a", "--seed=1", "--seed", "1"],
      ["tune", "a", "--vary", "x=1", "--vary", "y=2", "--seed", "1", "--seed=2"],
    ])
  func repeated(arguments: [String]) throws {
    #expect(try message(arguments) == "--seed is given twice; give it once")
  }

  @Test("Repeatable options may be repeated, and words that only look like options too")
  func repeatable() throws {
    for arguments in [
      ["tune", "a", "--vary", "x=1", "--vary", "y=2"],
      ["measure", "scale", "--axes", "readers", "--axes", "queries"],
      ["simulate", "--", "--seed", "--seed"],
      ["simulate", "a", "b", "a"],
    ] {
      _ = try CommandRoots.parse(arguments)
    }
  }

  @Test(
    "A negative number is called so, and not taken for an option",
    arguments: [
      (["simulate", "a", "--seed", "-1"], "--seed: -1 is negative; give a positive value"),
      (["simulate", "a", "--seed=-1"], "--seed: -1 is negative; give a positive value"),
      (["check", "--seeds", "-3"], "--seeds: -3 is negative; give a positive value"),
      (["simulate", "a", "--seeds", "-3"], "--seeds -3 is not valid; give 1…1000 or auto"),
      (["trace", "curve", "a", "--sample", "-.5"], "--sample: -.5 is negative; give a positive"),
      (["measure", "soak", "--duration", "-2s"], "--duration: -2s is negative; give a positive"),
    ])
  func negative(arguments: [String], expected: String) throws {
    #expect(try message(arguments).hasPrefix(expected))
  }

  @Test(
    "A directory instead of a file is called one",
    arguments: [
      ["trace", "replay", ".", "--trace-format", "text", "--capacities", "5"],
      ["trace", "convert", ".", "--from", "text", "--to", "csv"], ["simulate", "."],
      ["check", "--replay", "."],
      ["simulate", "folder"],
    ])
  func directory(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("folder"), withIntermediateDirectories: false)
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("Scenarios"), withIntermediateDirectories: false)
      try folder.write(SmallScenario.yaml, to: "Scenarios/small.yaml")
      let run = try await TidemarkProcess.run(arguments, in: folder)
      #expect(run.status == 2)
      let named = arguments.contains("folder") ? "folder" : "."
      #expect(
        run.errors
          == "tidemark: \(named): is a directory, and a file is needed; name a file in it\n")
    }
  }

  @Test("Names of files are shown without their control characters")
  func controlCharacters() async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(
        "trace", "inspect", "a\u{1B}[2J\u{7}", "--trace-format", "text", in: folder)
      #expect(run.status == 2)
      #expect(
        run.errors.hasPrefix("tidemark: a\\u{1B}[2J\\u{7}: no such file"))
      let option = try await TidemarkProcess.run("explain", "--\u{1B}[2J", in: folder)
      #expect(option.status == 2)
      #expect(!option.errors.contains("\u{1B}"), "\(option.errors)")
    }
  }

  @Test("A table of known misses needs the directory of its traces")
  func tracesAreNoDirectory() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("trace,policy,cache_size,requests,misses\n", to: "table.csv")
      for traces in ["table.csv", "absent"] {
        let run = try await TidemarkProcess.run(
          "trace", "replay", "--expected-misses", "table.csv", "--traces", traces, in: folder)
        #expect(run.status == 2)
        #expect(
          run.errors
            == "tidemark: --traces \(traces): no such folder; name the one with the traces\n")
      }
    }
  }
}
