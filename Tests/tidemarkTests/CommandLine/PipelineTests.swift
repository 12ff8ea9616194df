import CacheTestSupport
import Foundation
import Testing

/// The path from a device to the screen, with processes as a user starts them.
@Suite("measure over sockets", .serialized, .startsProcesses)
struct PipelineTests {
  private static let options = ["--quick", "--format", "csv"]
  /// Events per second of a run that ends by itself in seconds, and of one that takes far longer than
  /// it is let.
  private static let (brisk, slow) = (60, 1)

  /// The processes of a run.
  ///
  /// Each run has a folder for temporary files of its own, which its children inherit.
  private static func processes(of folder: URL) throws -> [RunningProcess] {
    try RunningProcess.all(with: "TMPDIR=\(folder.path)")
  }

  /// A run in a folder of its own, which must be empty in the end, with no process left.
  private static func measure(
    _ arguments: [String], rate: Int = brisk, meddle: ((Process, URL) throws -> Void)? = nil
  ) async throws -> (status: Int32, isSignal: Bool, output: String, errors: String) {
    try await withTemporaryFolder { folder in
      let (scratch, logs) = (
        folder.appendingPathComponent("t"), folder.appendingPathComponent("logs")
      )
      for folder in [scratch, logs] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      }
      for name in ["out", "err"] { try logs.write("", to: name) }
      let process = Process()
      process.executableURL = TidemarkProcess.executable
      process.arguments = ["measure", "latency"] + arguments + ["--rate", "\(rate)"] + options
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["TMPDIR": scratch.path]
      ) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(
        forWritingTo: logs.appendingPathComponent("out"))
      process.standardError = try FileHandle(forWritingTo: logs.appendingPathComponent("err"))
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      process.terminationHandler = { _ in end.finish() }
      try process.run()
      try meddle?(process, scratch)
      for await _ in ends {}
      // A killed parent's children end by themselves, soon; otherwise the time limit ends the test.
      while try !(processes(of: scratch).isEmpty && scratch.entries().isEmpty) {
        try await Task.sleep(for: .milliseconds(20))
      }
      return (
        process.terminationStatus, process.terminationReason == .uncaughtSignal,
        try logs.read("out"), try logs.read("err")
      )
    }
  }

  /// Waits until a run has as many children of a kind, on the thread that calls: a task would wait behind
  /// other tests, and the run be over.
  private static func children(
    _ kind: String, of run: Process, in folder: URL, count: Int
  ) throws -> [pid_t] {
    while run.isRunning {
      let found = try processes(of: folder).filter { $0.words.dropFirst().first == kind }
      if found.count == count { return found.map(\.number) }
      usleep(20_000)
    }
    Issue.record("the run has ended without \(count) processes that \(kind)")
    return []
  }

  private static func value(_ metric: String, _ statistic: String, in csv: String) -> Double? {
    for line in csv.split(separator: "\n") {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard cells.count > 6, cells[4] == metric, cells[5] == statistic else { continue }
      return Double(cells[6])
    }
    return nil
  }

  @Test("Every event arrives, and the means of the stages add up", arguments: ["unix", "tcp"])
  func runs(transport: String) async throws {
    let run = try await Self.measure(["--transport", transport, "--devices", "2"])
    #expect(run.status == 0 && !run.isSignal, "\(run.errors)")
    let stages = [
      "generator_lateness", "uplink", "downlink", "inbox_wait", "decode", "apply", "notify",
      "frame_wait", "draw",
    ]
    let means = try stages.map { try #require(Self.value($0, "mean", in: run.output), "\($0)") }
    let total = try #require(Self.value("server_to_ui", "mean", in: run.output))
    #expect(abs(means.reduce(0, +) - total) < 1)
  }

  @Test("Listings are read during the events")
  func reads() async throws {
    let run = try await Self.measure(["--transport", "unix", "--reads", "200"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try #require(Self.value("read_latency", "p50", in: run.output)) > 0)
  }

  @Test("With few observers, few listings are observed and changed")
  func observers() async throws {
    let run = try await Self.measure(["--transport", "unix", "--observers", "3"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains(",unix-observers-3,"))
  }

  @Test("More devices than processes are shared out")
  func manyDevices() async throws {
    let run = try await Self.measure(["--transport", "unix", "--devices", "40"])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(
    "A participant that somebody else kills is an error that names it",
    arguments: [("serve-sync", "sync server"), ("run-device", "device")])
  func strangerKills(kind: String, name: String) async throws {
    let run = try await Self.measure(["--transport", "unix", "--devices", "2"], rate: Self.slow) {
      run, folder in
      let victims = try Self.children(
        kind, of: run, in: folder, count: kind == "serve-sync" ? 1 : 2)
      if let victim = victims.first { kill(victim, SIGKILL) }
    }
    #expect(run.status == 4 && !run.isSignal)
    #expect(run.errors.contains(name) && run.errors.contains("signal 9"), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test(
    "A signal ends the run and all processes that it started, and reaches the caller",
    arguments: [SIGINT, SIGTERM, SIGKILL])
  func signals(number: Int32) async throws {
    let run = try await Self.measure(
      ["--transport", "unix", "--devices", "3"], rate: Self.slow
    ) { process, folder in
      _ = try Self.children("run-device", of: process, in: folder, count: 3)
      kill(process.processIdentifier, number)
    }
    #expect(run.isSignal && run.status == number)
    // It says once where it was interrupted, unless it was killed.
    if number == SIGKILL {
      #expect(run.errors == "")
    } else {
      #expect(
        run.errors.hasPrefix("tidemark: interrupted at: measure: pipeline: "), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
  }

  @Test(
    "Impossible options are refused before anything is started",
    arguments: [
      (["--devices", "2"], "--transport"),
      (["--transport", "unix", "--devices", "0"], "--devices is 0"),
      (["--transport", "unix", "--devices", "1001"], "--devices is 1001"),
      (["--transport", "tcp", "--frame-rate", "0"], "--frame-rate is 0"),
      (["--transport", "unix", "--policies", "fastest"], "no preset"),
      (["--transport", "pigeon"], "pigeon"),
      (["--transport", "unix", "--observers", "10001"], "--observers is 10001"),
      (["--reads", "5"], "--reads needs sockets"),
      (["--transport", "unix", "--reads", "0"], "--reads is 0"),
    ])
  func refused(arguments: [String], reason: String) async throws {
    let run = try await Self.measure(arguments)
    #expect(run.status == 2 && run.errors.contains(reason), "\(run.errors)")
  }

  @Test("A folder whose path is too long for a socket is refused, with the remedy")
  func longPath() async throws {
    try await withTemporaryFolder { folder in
      let long = folder.appendingPathComponent(String(repeating: "x", count: 90))
      try FileManager.default.createDirectory(at: long, withIntermediateDirectories: false)
      let run = try await TidemarkProcess.run(
        "measure", "latency", "--transport", "unix", "--quick", in: folder,
        by: "TMPDIR=\(long.path) \"$@\"")
      #expect(run.status == 4 && run.errors.contains("set TMPDIR"), "\(run.errors)")
      #expect(try long.entries() == [])
    }
  }
}
