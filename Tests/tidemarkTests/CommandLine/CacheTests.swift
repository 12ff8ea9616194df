import Foundation
import Testing

@Suite("tidemark simulate --cache")
struct CacheTests {
  /// Whether there is an interpreter; where there is none its test is left out by name.
  private static func exists(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  private static var adapter: String {
    "python3 \(SourceFile.top.appendingPathComponent("Adapters/lru.py").path)"
  }

  @Test(
    "A cache in Python stands beside the policies, and its reads in a file",
    .enabled(if: exists("python3"), "no python3"))
  func python() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "py=\(Self.adapter)",
        "--format", "csv", "--outcomes", "reads.csv", in: folder)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      let rows = TidyRow.all(in: run.output)
      #expect(rows.total("reads", of: "py") == rows.total("reads", of: "lru"))
      #expect((rows.total("hit_ratio", of: "py") ?? 0) > 0.05)
      #expect((rows.total("miss_cold", of: "py") ?? 0) > 0)
      // What only a cache can know is no zero.
      let evictions = rows.filter { $0["policy"] == "py" && $0["metric"] == "evictions" }
      #expect(evictions.count == 1 && evictions[0]["value"] == "")
      let reads = try folder.read("reads.csv")
      #expect(reads.contains(",py,") && reads.contains(",lru,"))
      let table = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "py=\(Self.adapter)",
        in: folder)
      #expect(table.status == 0 && table.output.contains("  py "), "\(table.output)")
    }
  }

  @Test(
    "A cache in JavaScript, behind the bridge, answers each read as the same one in Python",
    .enabled(if: exists("python3") && exists("node"), "no python3 or no node"))
  func javaScript() async throws {
    let folder = SourceFile.top.appendingPathComponent("Adapters/javascript").path
    try await answersAsPython("node \(folder)/bridge.mjs \(folder)/lru.mjs")
  }

  @Test(
    "So does a compiled one, without a library",
    .enabled(if: exists("python3") && exists("swiftc"), "no python3 or no swiftc"))
  func compiled() async throws {
    let source = SourceFile.top.appendingPathComponent("Adapters/lru.swift").path
    try await withTemporaryFolder { folder in
      let program = folder.appendingPathComponent("lru").path
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments = ["swiftc", source, "-o", program]
      try compiler.run()
      compiler.waitUntilExit()
      #expect(compiler.terminationStatus == 0)
      try await answersAsPython(program)
    }
  }

  private func answersAsPython(_ command: String) async throws {
    let options = "--queries 20 --ttl 60"
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "py=\(Self.adapter) \(options)",
        "--cache", "other=\(command) \(options)", "--format", "csv", "--outcomes", "reads.csv",
        in: folder)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      let lines = try folder.read("reads.csv").split(separator: "\n")
      func reads(of cache: String) -> [String] {
        lines.filter { $0.contains(",\(cache),") }
          .map { $0.replacingOccurrences(of: ",\(cache),", with: ",cache,") }
      }
      #expect(!reads(of: "py").isEmpty)
      #expect(reads(of: "other") == reads(of: "py"))
    }
  }

  @Test("One that fails ends with its error; the other results stand")
  func failure() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "bad=echo hello", "--cache",
        "gone=exit 3", "--format", "csv", in: folder)
      #expect(run.status == 4)
      #expect(run.errors.contains("cache bad, client") && run.errors.contains("not a JSON object"))
      #expect(run.errors.contains("cache gone, client"))
      #expect(TidyRow.all(in: run.output).total("reads", of: "lru") != nil)
    }
  }

  @Test(
    "One that does otherwise the second time is reported",
    .enabled(if: exists("python3"), "no python3"))
  func otherTheSecondTime() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      // From the second run on it keeps nothing.
      let turns =
        "if [ -e \(folder.path)/mark ]; then o='--ttl 0'; else o=; fi; touch \(folder.path)/mark"
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache",
        "fickle=\(turns); exec \(Self.adapter) $o", "--format", "csv", in: folder)
      #expect(run.status == 4 && run.errors.contains("different results"), "\(run.errors)")
    }
  }

  @Test(
    "A name is needed, once, and none of a policy's",
    arguments: [["--cache", "x"], ["--cache", "lru=a"], ["--cache", "a=b", "--cache", "a=c"]])
  func names(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        ["simulate", "small.yaml", "--policies", "lru"] + arguments, in: folder)
      #expect(run.status == 2 && run.output == "")
    }
  }
}
