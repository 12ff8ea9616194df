import ArgumentParser
import CacheTestSupport
import Foundation
import Testing

@testable import CommandLineInterface

/// Runs the commands of help and documents.
///
/// Every line is parsed, in this process, by the parser of the executable, with the checks that it makes
/// before any work. What takes seconds is also run, one line after the other in one folder, by the built
/// executable and a shell; there the scenarios of the repository are replaced by small ones of the same
/// names with the same policies, and the reader's own files by small ones that are made here. What measures
/// real time, or searches for minutes, is only parsed: run, it would test the machine and not the line. A
/// line that calls `make` is expanded by it and not carried out, and what it would give `tidemark` is
/// parsed in turn.
@Suite("The examples of help and documents", .startsProcesses)
struct CommandExampleTests {
  @Test("Each is a command line that is accepted")
  func areParsed() async throws {
    let all = try CommandExample.ofHelp + CommandExample.ofDocuments()
    // Were they not found, none would fail.
    #expect(all.count > 40)
    for example in all {
      if let arguments = example.arguments {
        parse(arguments, example)
      } else if let arguments = example.makeArguments {
        let (status, recipe) = try await Self.make(arguments)
        #expect(status == 0, "\(example.place): there is no `\(example.line)`")
        for arguments in Self.calls(in: recipe) { parse(arguments, example) }
      }
    }
  }

  private func parse(_ arguments: [String], _ example: CommandExample) {
    do {
      _ = try CommandRoots.parse(arguments)
    } catch {
      let message =
        (error as? CommandFailure)?.message
        ?? CommandRoots.root(for: arguments).fullMessage(for: error)
      Issue.record("\(example)\n\(message)")
    }
  }

  /// Lets `make` print its commands.
  private static func make(_ arguments: [String]) async throws -> (Int32, recipe: String) {
    let run = try await TidemarkProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["make", "-n"] + arguments, in: SourceFile.top)
    return (run.status, run.output)
  }

  /// The arguments of a recipe for the executable that it has built.
  private static func calls(in recipe: String) -> [[String]] {
    let parts = recipe.components(separatedBy: "/tidemark\" ").dropFirst()
    return parts.map { ShellWords.split($0.prefix { !"&|;\n".contains($0) }) }
  }

  @Test("Those that take seconds are carried out, from the top of the repository")
  func areRun() async throws {
    try await withTemporaryFolder { folder in
      try await Inputs.make(in: folder)
      // The questions of Findings take minutes each: `make findings` asks them.
      let seconds = try (CommandExample.ofHelp + CommandExample.ofDocuments()).filter {
        !$0.place.contains("Findings.md") && $0.arguments.map(Self.takesSeconds) ?? false
      }
      #expect(seconds.count > 25)
      // A line that several documents show is run once.
      var lines: Set<String> = []
      for example in seconds where lines.insert(example.line).inserted {
        let run = try await TidemarkProcess.run(
          in: folder, by: "set -o pipefail; PATH=\"$(dirname \"$1\"):$PATH\"; \(example.line)")
        #expect(run.status == 0, "\(example)\n\(run.errors)")
      }
    }
  }

  private static func takesSeconds(_ arguments: [String]) -> Bool {
    // As many seeds as decide it may be a hundred.
    guard !arguments.contains("auto") else { return false }
    // Takes an interpreter. Its own suite runs it.
    guard !arguments.contains("--cache") else { return false }
    switch arguments.first {
    // All scenarios take minutes, and a gate runs all of them. Its own suite runs small ones.
    case "bench": return arguments.contains("--exact-only") && arguments[1].first != "-"
    case "gate": return false
    // Named alike in two documents, and nothing is replaced. Its own suite runs it.
    case "init": return false
    case "measure", "check": return false
    case "trace": return arguments.dropFirst().first != "bench"
    // Hundreds of runs each; a shard needs its plan. Their own suites run small ones.
    case "sensitivity", "sweep": return false
    // Reads that differ are no success. Its own suite runs it.
    case "diff": return false
    case "tune": return !arguments.contains("--trials") && !arguments.contains("20")
    default: return true
    }
  }

  @Test("Words are split as a shell splits them")
  func words() {
    #expect(
      ShellWords.split("a  'b c' d\"e f\"g ''") == ["a", "b c", "de fg", ""])
    #expect(
      CommandExample(place: "", line: "xz -dc a | tidemark trace curve - --all > b").arguments
        == ["trace", "curve", "-", "--all"])
  }
}

/// The files that the examples need.
private enum Inputs {
  static func make(in folder: URL) async throws {
    try makeScenarios(in: folder)
    // A file that a page shows completely is there for its reader.
    let page = try SourceFile.top.read("Documentation/Scenarios.md")
    let app = page.components(separatedBy: "```yaml\n").dropFirst().first
    try folder.write(
      try #require(app?.components(separatedBy: "```").first), to: "my-app.yaml")
    try folder.write("cache: {capacity-memory: 8 MB}\npolicies: [lru, ttl]\n", to: "limits.yaml")
    // Enough keys for a sample of one in a hundred.
    try folder.write((0..<60_000).map { "\($0 % 50_000)\n" }.joined(), to: "huge.txt")
    try folder.write((0..<900).map { "\($0 * $0 % 307)\n" }.joined(), to: "keys.txt")
    let requests = (0..<400).map {
      "k\($0 % 37),\($0 % 9 == 0 ? "set" : "get"),\($0 % 37 + 1),\($0)\n"
    }
    try folder.write("key,op,size,time\n" + requests.joined(), to: "requests.csv")
    for name in ["session", "a", "b"] { try folder.write(ImportTests.har, to: "\(name).har") }
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("folder"), withIntermediateDirectories: false)
    for script in [
      "\"$1\" trace convert huge.txt --from text --to oracle-general --output huge.bin && cp huge.bin big.bin",
      "\"$1\" trace convert keys.txt --from text --to be32 | xz > trace.xz",
      "cp trace.xz folder/small.trace.xz",
      "\"$1\" simulate file-browser --policies lru --record session.jsonl",
      "for i in 1 2; do \"$1\" simulate slow-link --policies lru --seed $i --record ann-$i.jsonl; done",
      "\"$1\" simulate slow-link --policies lru --seed 3 --record bob-1.jsonl",
      "mkdir logs && cp ann-*.jsonl bob-1.jsonl logs/",
      "\"$1\" bench flaky-network --baseline --output Reports/baseline",
      "cp -r Reports/baseline Reports/tonight",
      "\"$1\" bench flaky-network --exact-only --seeds 2 --output Reports/latest",
    ] {
      let run = try await TidemarkProcess.run(in: folder, by: script)
      #expect(run.status == 0, "\(script): \(run.errors)")
    }
    let lru = try await TidemarkProcess.run(
      "trace", "replay", "keys.txt", "--trace-format", "text", "--policies", "lru", "--capacities",
      "50",
      "--format", "csv", in: folder)
    let misses = try #require(TidyRow.all(in: lru.output).first)["misses"]
    try folder.write(
      "trace,policy,cache_size,requests,misses\ncache2k_small,lru,50,900,\(misses)\n",
      to: "table.csv")
  }

  /// A small scenario under the name of each, with its policies.
  private static func makeScenarios(in folder: URL) throws {
    let scenarios = SourceFile.top.appendingPathComponent("Scenarios")
    let copies = folder.appendingPathComponent("Scenarios")
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: false)
    for name in try scenarios.entries() where name.hasSuffix(".yaml") {
      let policies = try scenarios.read(name).components(separatedBy: "\npolicies:").dropFirst()
        .first?.split(separator: "\n", omittingEmptySubsequences: false)
      let lines = policies.map { lines in
        lines.prefix(1) + lines.dropFirst().prefix { $0.hasPrefix(" ") || $0.hasPrefix("#") }
      }
      let head = SmallScenario.yaml.components(separatedBy: "policies:")[0]
        .replacing("name: small", with: "name: \(name.dropLast(5))")
        .replacing("duration: 2 min", with: "duration: 20 s")
        .replacing("drain: 10 s", with: "drain: 5 s")
      try copies.write(
        head + "policies:" + (try #require(lines, "\(name)")).joined(separator: "\n") + "\n",
        to: name)
    }
  }
}
