import Analysis
import CacheTestSupport
import Foundation
import Reporting
import ResultModel
import Testing

@testable import CommandLineInterface
@testable import tidemark

@Suite("tidemark gate --against", .startsProcesses)
struct AgainstTests {
  /// Makes a repository with one commit whose `make lab` runs some lines of a shell.
  private func makeRepository(in folder: URL, release: String) throws {
    let recipe = release.split(separator: "\n").map { "\t@\($0)\n" }.joined()
    try folder.write("lab:\n" + recipe, to: "Makefile")
    try folder.write(".build/\n", to: ".gitignore")
    try shell(
      """
      git init -q . && git add . && \
      git -c user.name=t -c user.email=t@example.com commit -q -m first
      """, in: folder)
  }

  private func shell(_ command: String, in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(command)")
  }

  private func gate(_ revision: String, in folder: URL) async throws -> TidemarkProcess {
    try folder.write(SmallScenario.yaml, to: "small.yaml")
    return try await TidemarkProcess.run(
      "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", "--skip",
      "exact", "--skip", "memory", "--skip", "instructions", "--skip", "times",
      "--against", revision, in: folder)
  }

  /// Executables that answer, and a file that counts how often they were built.
  private static let answering = #"""
    mkdir -p .build/release
    echo built >> ../builds
    printf '%s\n' '#!/bin/sh' 'printf "tidemark-rows 3\noperations\t\tsingle\toperation_time\tvalue\t1000r\t9\nend\n"' > .build/release/tidemark-lab
    cp .build/release/tidemark-lab .build/release/tidemark-memory
    chmod +x .build/release/tidemark-lab .build/release/tidemark-memory
    """#

  @Test("Differences below the main figures are listed from the rows of the baseline's revision")
  func listing() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      func run(_ arguments: String..., status: Int32 = 0) async throws -> TidemarkProcess {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == status, "\(run.output) \(run.errors)")
        return run
      }
      // A build that has one cold miss more of one class in one seed, and made the baseline.
      _ = try await run(
        "simulate", "small.yaml", "--seeds", "5", "--no-robustness", "--format", "csv", "--output",
        "rows.csv")
      var lines = try folder.read("rows.csv").split(separator: "\n").map(String.init)
      let index = try #require(
        lines.firstIndex { $0.hasPrefix("small,lru,2,file,miss_cold,value,") })
      var cells = lines[index].split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
      cells[6] = "\((Int(cells[6]) ?? 0) + 1)"
      lines[index] = cells.joined(separator: ",")
      try folder.write(lines.joined(separator: "\n") + "\n", to: "other.csv")
      _ = try await run("bench", "small.yaml", "--baseline", "--output", "baseline")
      var table = try BaselineTable.read(Array(try folder.read("baseline/baseline.csv").utf8))
      let rows = try TidyTable.read(Array(try folder.read("other.csv").utf8)).rows
      let made = RunDigest.all(of: rows)
      for index in table.runs.indices {
        let own = table.runs[index].digest
        table.runs[index].digest.text = made.first { $0.run == own.run }?.text ?? own.text
      }
      try folder.write(
        String(decoding: try table.csv(), as: UTF8.self), to: "baseline/baseline.csv")
      try folder.write(
        "core:\n\t@mkdir -p .build/release\n\t@cp tool .build/release/tidemark\n"
          + "lab:\n\t@mkdir -p .build/release\n\t@cp measure .build/release/tidemark-lab\n"
          + "\t@cp measure .build/release/tidemark-memory\n", to: "Makefile")
      // Its arguments name the file after --output.
      try folder.write(
        "#!/bin/sh\nwhile [ \"$1\" != --output ]; do shift; done\n"
          + "cp \(folder.path)/other.csv \"$2\"\n", to: "tool")
      try folder.write(
        #"""
        #!/bin/sh
        printf "tidemark-rows 3\noperations\t\tsingle\toperation_time\tvalue\t1000r\t9\nend\n"

        """#, to: "measure")
      try folder.write(".build/\n", to: ".gitignore")
      try shell(
        """
        chmod +x tool measure && git init -q . && git add . && \
        git -c user.name=t -c user.email=t@example.com commit -q -m first
        """, in: folder)
      let gate = try await run(
        "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", "--strict",
        "--skip", "memory", "--skip", "instructions", "--skip", "times", "--against", "HEAD",
        status: 1)
      #expect(
        gate.output.contains("all that differs in small/lru:\n  changed miss_cold[file] "),
        "\(gate.output)")
      #expect(!gate.output.contains("below the main ones"), "\(gate.output)")
      #expect(try folder.read("verdict.json").contains("\"metric\": \"miss_cold\""))
    }
  }

  @Test("A revision is built once, whatever its name")
  func builtOnce() async throws {
    try await withTemporaryFolder { folder in
      try makeRepository(in: folder, release: Self.answering)
      for name in ["HEAD", "HEAD", "HEAD~0"] {
        let run = try await gate(name, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("not compared: times: left out"))
      }
      #expect(try folder.read(".build/against/builds") == "built\n")
    }
  }

  @Test("A second revision is built in the same work tree")
  func secondRevision() async throws {
    try await withTemporaryFolder { folder in
      try makeRepository(in: folder, release: Self.answering)
      #expect(try await gate("HEAD", in: folder).status == 0)
      try shell(
        "git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m second",
        in: folder)
      #expect(try await gate("HEAD", in: folder).status == 0)
      #expect(try folder.read(".build/against/builds") == "built\nbuilt\n")
    }
  }

  @Test(
    "An unknown revision is an error of the command line",
    arguments: ["no-such-branch", "--upload-pack=x"])
  func unknown(name: String) async throws {
    try await withTemporaryFolder { folder in
      try makeRepository(in: folder, release: "true")
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "--verdict", "v.json", "--skip", "exact", "--against=\(name)",
        in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("no such revision"), "\(run.errors)")
    }
  }

  @Test("A revision that does not build has no comparison, and the end of its build is shown")
  func broken() async throws {
    try await withTemporaryFolder { folder in
      try makeRepository(in: folder, release: "echo 'error: a semicolon'; exit 1")
      let run = try await gate("HEAD", in: folder)
      #expect(run.status == 3)
      #expect(run.errors.contains("error: a semicolon"), "\(run.errors)")
      #expect(throws: (any Error).self) { try folder.read("verdict.json") }
    }
  }

  @Test("A revision without the command cannot be compared")
  func withoutCommand() async throws {
    try await withTemporaryFolder { folder in
      try makeRepository(
        in: folder,
        release: """
          mkdir -p .build/release
          printf '#!/bin/sh\\necho Unexpected argument >&2; exit 2\\n' > .build/release/tidemark-lab
          cp .build/release/tidemark-lab .build/release/tidemark-memory
          chmod +x .build/release/tidemark-lab .build/release/tidemark-memory
          """)
      let run = try await gate("HEAD", in: folder)
      #expect(run.status == 3)
      #expect(run.errors.contains("Unexpected argument"), "\(run.errors)")
    }
  }

  @Test("A folder without a repository is an error of the command line")
  func noRepository() async throws {
    try await withTemporaryFolder { folder in
      let run = try await gate("HEAD", in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("git repository"), "\(run.errors)")
    }
  }

  @Test(
    "Options that ask for nothing are refused",
    arguments: [
      ["--rounds", "7"], ["--rounds", "1000"], ["--samples", "s.csv"], ["--skip", "x"],
    ])
  func options(_ options: [String]) async throws {
    try await withTemporaryFolder { folder in
      let run = try await TidemarkProcess.run(["gate"] + options, in: folder)
      #expect(run.status == 2)
    }
  }
}

@Suite("Counts without valgrind")
struct UnmeasuredCountTests {
  @Test("Instructions that could not be counted are errors, of either build, and never equal")
  func missing() {
    let rows = OperationCounts.unmeasured
    #expect(rows.count == 6)
    let findings = CountComparison.findings(baseline: rows, candidate: rows)
    #expect(findings.allSatisfy { $0.outcome == .error })
    #expect(rows.allSatisfy { GatePart(of: $0.metric) == .instructions })
  }
}

@Suite("Processes of two builds", .startsProcesses)
struct BuildSeriesTests {
  /// A build whose processes answer with a fixed time and log their runs.
  private func build(
    _ name: String, _ time: String, in folder: URL
  ) throws -> URL {
    let script = """
      #!/bin/sh
      echo "\(name)$3" >> "\(folder.path)/log"
      printf 'tidemark-rows 3\\noperations\\t\\tsingle\\toperation_time\\tvalue\\t\(time)\\t9\\nend\\n'
      """
    try folder.write(script, to: name)
    let url = folder.appendingPathComponent(name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
    return url
  }

  @Test("All arms have a turn in each round, forwards and backwards, and the canary is slowed down")
  func order() async throws {
    try await withTemporaryFolder { folder in
      let series = try BuildSeries(
        baseline: build("old", "1000r", in: folder), candidate: build("new", "1100r", in: folder),
        rounds: 2)
      let samples = try await series.samples(
        BuildComparison.Arm.allCases, progress: ProgressLine("t"))
      #expect(try folder.read("log") == "old\nnew\nold\nnew10\nnew10\nold\nnew\nold\n")
      let figures = series.figures(of: samples)
      #expect(
        figures.map(\.values) == [
          [[1_000, 1_000], [1_100, 1_100], [1_000, 1_000], [1_100, 1_100]]
        ])
      let csv = String(decoding: try BuildSeries.csv(of: [samples]), as: UTF8.self)
      #expect(csv.split(separator: "\n").count == 9)
      #expect(csv.contains(",1,2,canary\n"))
    }
  }

  @Test("A round in which the control was slow is repeated, and does not count")
  func disturbed() async throws {
    try await withTemporaryFolder { folder in
      // The second process of all is disturbed.
      let build = folder.appendingPathComponent("build")
      try folder.write(
        #"""
        #!/bin/sh
        n=$(cat "\#(folder.path)/n" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "\#(folder.path)/n"
        control=100; [ $n = 2 ] && control=150
        printf 'tidemark-rows 3\noperations\t\tsingle\toperation_time\tvalue\t%dr\t9\n' $n
        printf 'operations\t\tcontrol\toperation_time\tvalue\t%dr\t9\nend\n' $control

        """#, to: "build")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: build.path)
      let series = BuildSeries(baseline: build, candidate: build, rounds: 2)
      let samples = try await series.samples([.baseline], progress: ProgressLine("t"))
      #expect(samples.count == 3)
      #expect(series.figures(of: samples).map { $0.values[0] } == [[1, 3]])
      let csv = String(decoding: try BuildSeries.csv(of: [samples]), as: UTF8.self)
      #expect(csv.split(separator: "\n").count == 7)
    }
  }

  @Test("A process without its rows ends the series")
  func noRows() async throws {
    try await withTemporaryFolder { folder in
      let build = try build("old", "nanr", in: folder)
      let series = BuildSeries(baseline: build, candidate: build, rounds: 1)
      await #expect(throws: CommandFailure.self) {
        try await series.samples([.baseline], progress: ProgressLine("t"))
      }
    }
  }
}
