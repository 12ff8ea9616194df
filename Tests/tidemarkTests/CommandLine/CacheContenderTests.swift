import CacheTestSupport
import Foundation
import Testing

/// Whether there is an interpreter; otherwise its tests are skipped by name.
private let hasPython: Bool = {
  let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
  return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
}()

@Suite(
  "Caches in processes everywhere that policies go", .enabled(if: hasPython, "no python3"),
  .startsProcesses)
struct CacheContenderTests {
  private static let adapter =
    "python3 \(SourceFile.top.appendingPathComponent("Adapters/lru.py").path)"

  private func run(
    _ arguments: String..., in folder: URL, status: Int32 = 0
  ) async throws -> TidemarkProcess {
    let run = try await TidemarkProcess.run(arguments, in: folder)
    #expect(run.status == status, "\(run.errors)")
    return run
  }

  @Test("simulate runs one on every seed and puts it into the verdict; its rows are marked")
  func simulate() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      func result(_ format: String) async throws -> String {
        try await run(
          "simulate", "small.yaml", "--policies", "lru", "--cache", "py=\(Self.adapter)", "--seeds",
          "2", "--no-robustness", "--format", format, in: folder
        ).output
      }
      let table = try await result("table")
      #expect(table.contains("memory unknown: py"), "\(table)")
      #expect(table.contains("which calls itself lru.py 1; membership own"), "\(table)")
      let rows = TidyRow.all(in: try await result("csv"))
      let own = rows.filter { $0["policy"] == "py" }
      #expect(Set(own.map { $0["seed"] }) == ["1", "2", ""])
      #expect(own.allSatisfy { $0["command"] == Self.adapter && $0["claim"] == "lru.py 1" })
      #expect(own.allSatisfy { $0["membership"] == "own" })
      #expect(rows.filter { $0["policy"] == "lru" }.allSatisfy { $0["command"] == "" })
    }
  }

  @Test("A scenario's own command runs only with consent, unless others are named")
  func consent() async throws {
    try await withTemporaryFolder { folder in
      let command = "touch ran; exec \(Self.adapter)"
      let yaml = SmallScenario.yaml.replacing(
        "policies: [lru,", with: "policies: [{name: own, command: '\(command)'}, lru,")
      try folder.write(yaml, to: "small.yaml")
      func hasRun() -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("ran").path)
      }
      for arguments in [
        ["simulate", "small.yaml"], ["bench", "small.yaml", "--exact-only"],
        ["tune", "small.yaml", "--vary", "capacity-entities=10,20"],
        ["sensitivity", "small.yaml", "--vary", "network.loss=0%,1%"],
        ["sweep", "plan", "small.yaml", "--vary", "capacity-entities=10,20"],
      ] {
        let refused = try await TidemarkProcess.run(arguments, in: folder)
        #expect(refused.status == 2 && refused.output == "", "\(arguments)")
        #expect(refused.errors.contains("add --allow-commands"), "\(refused.errors)")
        #expect(refused.errors.contains(command))
      }
      _ = try await run("simulate", "small.yaml", "--policies", "lru", in: folder)
      _ = try await run("explain", "small.yaml", in: folder)
      #expect(!hasRun())
      let allowed = try await run(
        "simulate", "small.yaml", "--policies", "own", "--allow-commands", in: folder)
      #expect(hasRun() && allowed.output.contains("\nown "))
    }
  }

  @Test("tune varies an option of the command, and writes the best of it")
  func tune() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let found = try await run(
        "tune", "small.yaml", "--policies", "no-cache,ttl", "--vary", "py.ttl=1,300", "--cache",
        "py=\(Self.adapter) --ttl {ttl}", "--objective", "fresh_hit_ratio", "--format", "csv",
        in: folder)
      let rows = TidyRow.all(in: found.output).filter {
        $0["class"] == "all" && $0["metric"] == "fresh_hit_ratio" && $0["policy"] == "py"
      }
      #expect(rows.map { $0["py.ttl"] } == ["1", "300"])
      #expect((Double(rows[0]["value"]) ?? 1) < (Double(rows[1]["value"]) ?? 0))
      let best = try await run(
        "tune", "small.yaml", "--policies", "no-cache", "--vary", "py.ttl=1,300", "--cache",
        "py=\(Self.adapter) --ttl {ttl}", "--objective", "fresh_hit_ratio", "--best", "best.yaml",
        in: folder)
      #expect(best.output.contains("best of one seed, not a verdict: py ttl=300"), "\(best.output)")
      #expect(try folder.read("best.yaml").contains("lru.py --ttl 300"))
      let none = try await run(
        "tune", "small.yaml", "--vary", "py.size=1,2", "--cache", "py=\(Self.adapter)", in: folder,
        status: 2)
      #expect(none.errors.contains("has no {size}"))
    }
  }

  @Test("A setting whose command fails is left out, and its error is reported")
  func tuneFailing() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let found = try await run(
        "tune", "small.yaml", "--policies", "ttl", "--vary", "py.ttl=300,nonsense", "--cache",
        "py=\(Self.adapter) --ttl {ttl}", in: folder, status: 4)
      #expect(found.errors.contains("cache py ttl=nonsense, client desktop, seed 1"))
      #expect(found.output.contains("py ttl=300") && !found.output.contains("py ttl=nonsense"))
    }
  }

  @Test("gate compares one with its baseline; failures and irreproducible runs are no verdict")
  func gate() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      _ = try await run(
        "bench", "small.yaml", "--baseline", "--seeds", "4", "--output", "base", "--cache",
        "py=\(Self.adapter)", in: folder)
      let manifest = try folder.read("base/manifest.json")
      #expect(manifest.contains("\"policies.py.claim\": \"lru.py 1\""))
      #expect(manifest.contains("\"policies.py.command\": \"\(Self.adapter)\""))
      func gate(_ cache: String, status: Int32) async throws -> String {
        try await run(
          "gate", "small.yaml", "--baseline", "base", "--skip", "memory", "--skip",
          "instructions", "--verdict", "verdict.json", "--cache", cache, in: folder, status: status
        ).output
      }
      let same = try await gate("py=\(Self.adapter)", status: 0)
      #expect(same.hasPrefix("gate passed") && !same.contains("caches are not those"), "\(same)")
      let worse = try await gate("py=\(Self.adapter) --queries 1", status: 1)
      #expect(worse.contains("policies.py.command was") && worse.contains("worse small/py"))
      let failed = try await gate("py=exit 3", status: 4)
      #expect(failed.contains("not run: small, cache py, client desktop, seed 1"), "\(failed)")
      // Started for the nth time it keeps n lists, in whichever order the seeds are run.
      let starts = folder.appendingPathComponent("starts").path
      let count = "n=1; until mkdir \(starts)-$n 2>/dev/null; do n=$((n+1)); done"
      let fickle = try await gate("py=\(count); exec \(Self.adapter) --queries $n", status: 0)
      #expect(fickle.contains("not compared: small, cache py, seed 1: two runs"), "\(fickle)")
    }
  }

  @Test("A report names a command, and how to run it again")
  func report() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      _ = try await run(
        "bench", "small.yaml", "--policies", "lru", "--exact-only", "--seeds", "2", "--output",
        "out",
        "--cache", "py=\(Self.adapter)", in: folder)
      let page = try folder.read("out/index.html")
      #expect(page.contains("which calls itself lru.py 1; membership own, memory unknown"))
      let verdicts = try folder.read("out/verdicts.json")
      #expect(verdicts.contains("--cache 'py=\(Self.adapter)'"), "\(verdicts)")
      let timeline = try folder.read("out/timeline.csv").split(separator: "\n")
      let own = timeline.filter { $0.contains(",py,") }
      #expect(!own.isEmpty && own.allSatisfy { $0.hasSuffix(",") })
      _ = try await run("report", "out", "--output", "again.html", in: folder)
      #expect(try folder.read("again.html") == page)
    }
  }

  @Test(
    "There are never more processes than cores, however many seeds there are",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/ps"), "no ps"))
  func processes() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      // Each that begins writes how many of those that began before still run, itself among them: one that was
      // killed may be listed until somebody has asked for its end.
      let script = """
        touch $$ ; n=0; for p in [0-9]*; do case $(ps -o stat= -p $p) in ''|Z*) ;; *) n=$((n+1)) ;; esac; done; \
        echo $n >> count; exec \(Self.adapter)
        """
      _ = try await run(
        "simulate", "small.yaml", "--policies", "lru", "--seeds", "8", "--no-robustness", "--cache",
        "py=\(script)", in: folder)
      let counts = try folder.read("count").split(separator: "\n").compactMap { Int($0) }
      // The first seed is run twice.
      #expect(counts.count == 9)
      let most = try #require(counts.max())
      #expect(most <= ProcessInfo.processInfo.activeProcessorCount, "\(counts)")
    }
  }
}
