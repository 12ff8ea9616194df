import CacheTestSupport
import Foundation
import Testing

@testable import CommandLineInterface
@testable import tidemark

@Suite("Signals", .startsProcesses)
struct SignalTests {
  /// Waits until something holds, or the process is over.
  private func wait(
    for process: Process, until holds: () throws -> Bool
  ) async throws {
    while process.isRunning, try !holds() { try await Task.sleep(for: .milliseconds(20)) }
  }

  private func start(
    _ arguments: [String], in folder: URL, by command: String = "exec \"$@\""
  ) throws -> (process: Process, input: FileHandle) {
    let process = Process()
    let input = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["bash", "-c", command, "bash", TidemarkProcess.executable.path] + arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) {
      $1
    }
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, input.fileHandleForWriting)
  }

  private static let convert = [
    "trace", "convert", "-", "--from", "text", "--to", "csv", "--output", "out.csv",
  ]

  private func hasDraft(_ folder: URL) throws -> Bool {
    try folder.entries().contains { $0.hasSuffix(".partial") }
  }

  @Test(
    "A draft is removed, the former file stays, and the caller sees the signal",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func draftOfAFile(number: Int32) async throws {
    try await withTemporaryFolder { folder in
      try folder.write("former\n", to: "out.csv")
      let (process, input) = try start(Self.convert, in: folder)
      try input.write(contentsOf: Data("a\nb\n".utf8))
      try await wait(for: process) { try hasDraft(folder) }
      #expect(try hasDraft(folder))
      kill(process.processIdentifier, number)
      try await wait(for: process) { false }
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      #expect(try folder.entries() == ["out.csv"])
      #expect(try folder.read("out.csv") == "former\n")
      try? input.close()
    }
  }

  @Test("A shell says 128 and the signal's number", arguments: [SIGTERM, SIGHUP])
  func statusOfAShell(number: Int32) async throws {
    try await withTemporaryFolder { folder in
      // A command in a shell's background has no input, unless it gets one by another descriptor.
      let (process, input) = try start(
        Self.convert, in: folder, by: "exec 3<&0; \"$@\" <&3 & echo $! > pid; wait $!; exit $?")
      try await wait(for: process) { try hasDraft(folder) && !folder.read("pid").isEmpty }
      kill(try #require(pid_t(folder.read("pid").dropLast())), number)
      try await wait(for: process) { false }
      #expect(process.terminationReason == .exit && process.terminationStatus == 128 + number)
      #expect(try folder.entries() == ["pid"])
      try? input.close()
    }
  }

  @Test("An interrupted command says how far it had come")
  func progress() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGINT),
      observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      ProgressLine("bench").report("3 of 9 runs")
      TerminationSignals.note { $0.results = [1: "chat: best is lru\n", 0: "feed: open\n"] }
      kill(getpid(), SIGINT)
      try await Task.sleep(for: .seconds(600))
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      errors.contains(
        "tidemark: interrupted at: bench: 3 of 9 runs; finished files stay, and none is half "
          + "written\ndecided so far"), "\(errors)")
    let results = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(results.contains("feed: open\nchat: best is lru\n"), "\(results)")
  }

  @Test("Verdicts decided before a signal are printed, and no others")
  func decidedSoFar() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGINT),
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      // The second takes minutes.
      let comparisons = try [("small", 2), ("long", 1_000)].map { name, seeds in
        let yaml = SmallScenario.yaml.replacing("name: small", with: "name: \(name)")
        let input = SimulationInput(try ScenarioFile(Array(yaml.utf8), path: "\(name).yaml"))
        return input.comparison(
          of: try input.file.contenders(["lru", "no-cache"]), seed: 1, seeds: .fixed(seeds))
      }
      _ = try await Verdicts.run(
        comparisons, isRobustnessAsked: false, progress: ProgressLine("test")
      ) { _, _ in kill(getpid(), SIGINT) }
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("small: ship lru") && !output.contains("long"), "\(output)")
    #expect(errors.contains("decided so far"), "\(errors)")
  }

  @Test("Signals that the parent ignores stay ignored, as behind nohup")
  func ignored() async throws {
    try await withTemporaryFolder { folder in
      let (process, input) = try start(Self.convert, in: folder, by: "trap '' HUP; exec \"$@\"")
      try input.write(contentsOf: Data("a\nb\n".utf8))
      try await wait(for: process) { try hasDraft(folder) }
      kill(process.processIdentifier, SIGHUP)
      try input.close()
      try await wait(for: process) { false }
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(try folder.read("out.csv") == "key\na\nb\n")
      #expect(try folder.entries() == ["out.csv"])
    }
  }

  @Test(
    "A drawn trace that is not kept is removed too, whole or not", arguments: [SIGINT, SIGTERM])
  func temporaryFile(number: Int32) async throws {
    try await withTemporaryFolder { folder in
      let (process, input) = try start(
        ["trace", "bench", "--requests", "100000000", "--keys", "1000"], in: folder)
      try await wait(for: process) { try !folder.entries().isEmpty }
      kill(process.processIdentifier, number)
      try await wait(for: process) { false }
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      #expect(try folder.entries() == [])
      try? input.close()
    }
  }

  @Test(
    "The processes of a search end with it",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/ps"), "no ps"),
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func children(number: Int32) async throws {
    try await withTemporaryFolder { folder in
      let seed = UInt64.random(in: 1 << 20..<1 << 30) * 1_000_000
      let (process, input) = try start(
        ["check", "--seeds", "100000", "--first-seed", "\(seed)", "--steps", "1000"], in: folder)
      func searching() async throws -> Int {
        try await TidemarkProcess.run(
          URL(fileURLWithPath: "/bin/ps"), ["-eo", "stat,args"], in: folder
        ).output.split(separator: "\n").count {
          // All their seeds begin as the first does.
          $0.contains("run-search") && $0.contains(" \(seed / 1_000_000)") && !$0.hasPrefix("Z")
        }
      }
      while process.isRunning, try await searching() == 0 {
        try await Task.sleep(for: .milliseconds(20))
      }
      kill(process.processIdentifier, number)
      try await wait(for: process) { false }
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      while try await searching() > 0 { try await Task.sleep(for: .milliseconds(100)) }
      try? input.close()
    }
  }
}
