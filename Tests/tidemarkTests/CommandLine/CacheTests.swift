import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark simulate --cache", .startsProcesses)
struct CacheTests {
  /// Whether there is an interpreter; otherwise its test is skipped by name.
  private static func exists(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  private static var adapter: String {
    "python3 \(SourceFile.top.appendingPathComponent("Adapters/lru.py").path)"
  }

  @Test(
    "A cache in Python is a row next to the policies, and its reads are in a file",
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
      // A figure that only a cache can know is missing, not zero.
      let evictions = rows.filter { $0["policy"] == "py" && $0["metric"] == "evictions" }
      #expect(evictions.count == 1 && evictions[0]["value"] == "")
      let reads = try folder.read("reads.csv")
      #expect(reads.contains(",py,") && reads.contains(",lru,"))
      let table = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "py=\(Self.adapter)",
        in: folder)
      #expect(table.status == 0 && table.output.contains("\npy "), "\(table.output)")
    }
  }

  /// Whole answers, no writes, no single entities: there both have the same rules.
  @Test(
    "The one in Python answers each read as our order does, where their rules agree",
    .enabled(if: exists("python3"), "no python3"),
    arguments: [(10, 60), (5, 600), (200, 20)])
  func asLRU(queries: Int, seconds: Int) async throws {
    let small = SmallScenario.yaml.components(separatedBy: "writers:\n")[0]
    let yaml =
      small.replacing("name: small", with: "name: quiet").replacing("2 min", with: "20 min") + """
        users:
          - name: desktop
            think: 2 s
            mix: {browse: 70 %, recents: 30 %}
            activities:
              browse: [{stroll: {through: files.directory, opens: 0}}]
              recents: [visit: files.recents]
        cache: {capacity-entities: unlimited}
        policies:
          - {name: answers, preset: lru, maximum-queries: \(queries) queries, time-to-live: \(seconds) s}

        """
    try await withTemporaryFolder { folder in
      try folder.write(yaml, to: "quiet.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "quiet.yaml", "--policies", "answers", "--cache",
        "py=\(Self.adapter) --queries \(queries) --ttl \(seconds)", "--format", "csv", "--outcomes",
        "reads.csv", in: folder)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      // Why a read of a process waits is inferred, so that alone is left out.
      let reads = TidyRow.all(in: try folder.read("reads.csv"))
      func answers(of cache: String) -> [[String]] {
        reads.filter { $0["policy"] == cache }.map { row in
          let outcome = row["outcome"].hasPrefix("miss") ? "miss" : row["outcome"]
          return [row["client"], row["at_ns"], row["read"], outcome, row["waited_ns"]]
        }
      }
      let own = answers(of: "answers")
      #expect(own == answers(of: "py") && own.count > 300)
      #expect(own.contains { $0[3] == "hit_fresh" } && own.contains { $0[3] == "miss" })
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
    "A compiled cache works too, without a library",
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

  @Test("A failing cache ends with its error; the other results stay")
  func failure() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "bad=echo hello", "--cache",
        "gone=exit 3", "--cache", "typo=cd . && ./nosuch", "--format", "csv", in: folder)
      #expect(run.status == 4)
      #expect(run.errors.contains("cache bad, client") && run.errors.contains("not a JSON object"))
      #expect(run.errors.contains("cache gone, client") && run.errors.contains("with status 3"))
      #expect(run.errors.contains("[not-json]") && run.errors.contains("[ended]"))
      let typo = run.errors.split(separator: "\n").filter { $0.contains("cache typo, ") }
      #expect(typo.count == 1 && typo[0].contains("nosuch") && typo[0].contains("[not-started]"))
      #expect(TidyRow.all(in: run.output).total("reads", of: "lru") != nil)
    }
  }

  @Test(
    "A program that is not there is refused before anything is run",
    arguments: ["nosuch", "./nosuch"])
  func missingProgram(word: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "typo=\(word) --ttl 5",
        in: folder)
      #expect(run.status == 2 && run.output == "")
      let cause = "`\(word)` cannot be started: no such program; check the path"
      #expect(run.errors == "tidemark: --cache typo: \(cause)\n")
    }
  }

  @Test(
    "Rows of a cache that differ from the server's at the end are explained, and are not an error")
  func guidance() async throws {
    // It serves each list without rows.
    let script = """
      read -r l; echo '{"t":"hello","protocol":1,"name":"a","version":"1"}'; n=0
      while read -r l; do n=$((n+1))
      case $l in *'"t":"read"'*|*'"t":"observe"'*) printf '{"t":"serve","for":%d,"rows":[]}\\n' $n;;
      esac; printf '{"t":"done","n":%d,"wake":null}\\n' $n; done
      """
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "empty=\(script)",
        "--no-robustness",
        in: folder)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      #expect(run.sentences.contains("divergent_queries: no error"), "\(run.output)")
      #expect(run.sentences.contains("Documentation/CacheProtocol.md, What is measured"))
      let sound = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--no-robustness", in: folder)
      #expect(!sound.output.contains("CacheProtocol.md"))
    }
  }

  @Test("A failing cache's turns are written, as few as show the failure")
  func shrunk() async throws {
    // It says hello, requests every query, and ends at the third read.
    let script = """
      read -r l; echo '{"t":"hello","protocol":1,"name":"a","version":"1"}'; n=0; r=0
      while read -r l; do n=$((n+1))
      case $l in *'"t":"read"'*|*'"t":"observe"'*) r=$((r+1)); if [ $r = 3 ]; then exit 1; fi;; esac
      printf '{"t":"done","n":%d,"wake":null}\\n' $n; done
      """
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "bad=\(script)", "--failed",
        "failed", "--format", "csv", in: folder)
      #expect(run.status == 4 && run.errors.contains("shown by 3 turns"), "\(run.errors)")
      let file = try #require(try folder.appendingPathComponent("failed").entries().first)
      #expect(run.errors.contains("COMMAND < failed/\(file)"))
      let lines = try folder.read("failed/\(file)").split(separator: "\n")
      #expect(lines.count == 4 && lines[0].contains("\"hello\""))
      let again = try await TidemarkProcess.run(
        URL(fileURLWithPath: "/bin/sh"), ["-c", "{ \(script); } < failed/\(file)"], in: folder)
      #expect(again.status == 1 && again.output.split(separator: "\n").count == 3)
    }
  }

  @Test("What runs took, and how fast turns went, is said where that is asked")
  func timing() async throws {
    let mute = """
      read -r l; echo '{"t":"hello","protocol":1,"name":"a","version":"1"}'; n=0
      while read -r l; do n=$((n+1)); printf '{"t":"done","n":%d,"wake":null}\\n' $n; done
      """
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--cache", "mute=\(mute)", "--timing",
        "--format", "csv", in: folder)
      #expect(run.status == 0 && run.errors.contains("cache mute: "), "\(run.errors)")
      #expect(run.errors.contains(" turns/s") && !run.output.contains("turns/s"))
      // Two runs, of the policy and the cache.
      #expect(run.errors.contains("verdict") && run.errors.contains("2 in "), "\(run.errors)")
    }
  }

  @Test(
    "A signal ends the run, and all that its caches have started",
    .enabled(if: RunningProcess.areListed, "no /proc"),
    arguments: [SIGINT, SIGTERM, SIGKILL, SIGSEGV])
  func signals(number: Int32) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let mark = "tidemark-signal-\(UUID().uuidString)"
      let process = Process()
      process.executableURL = TidemarkProcess.executable
      process.arguments = [
        "simulate", "small.yaml", "--policies", "lru", "--cache-start", "1h", "--cache",
        "slow=export LEFT=\(mark); sleep 3600 & touch started; sleep 3600",
      ]
      process.currentDirectoryURL = folder
      // Where Swift reports crashes, a signal that was sent and no fault is behind is reported, and passed over.
      process.environment = ProcessInfo.processInfo.environment
        .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let started = folder.appendingPathComponent("started").path
      while process.isRunning, !FileManager.default.fileExists(atPath: started) {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try !RunningProcess.all(with: mark).isEmpty)
      kill(process.processIdentifier, number)
      while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
      #expect(process.terminationReason == .uncaughtSignal)
      // The guardian notices, and ends the group, a moment later; otherwise the time limit does.
      while try !RunningProcess.all(with: mark).isEmpty {
        try await Task.sleep(for: .milliseconds(20))
      }
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
