import Analysis
import CacheModel
import CommandLineInterface
import Foundation
import Processes
import RealTime
import ResultModel

/// The server and the devices of a run, each a process of this executable.
///
/// At most sixteen processes share the devices: with few, each has its own.
actor PipelineProcesses: PipelinePeers {
  private let plan: PipelinePlan
  private let folder = TemporaryFolder(for: "sync")
  private let socket: String
  private var server: ChildProcess?
  private var fleet: [ChildProcess] = []

  private static let mostProcesses = 16
  /// The time limit for a process to be ready.
  private static let patience = Duration.seconds(30)

  /// - Throws: ``PipelineError/pathTooLong(_:)``, or ``CommandFailure`` if its temporary folder cannot be
  ///   created.
  init(plan: PipelinePlan) throws {
    self.plan = plan
    socket = folder.path(of: "sync.sock")
    guard socket.utf8.count <= SyncEndpoint.longestPath else {
      throw PipelineError.pathTooLong(socket)
    }
    try folder.make()
  }

  // MARK: Starting

  func startServer() async throws -> SyncEndpoint {
    let endpoint: SyncEndpoint =
      switch plan.transport {
      case .unix: .unix(path: socket)
      case .tcp: .tcp(host: "127.0.0.1", port: 0)
      }
    let child = try ChildProcess(
      name: "sync server",
      arguments: ["serve-sync", "--endpoint", "\(endpoint)", "--folder", folder.url.path] + library)
    server = child
    let answer = try await ready(child)
    guard let endpoint = SyncEndpoint(answer) else {
      throw PipelineError.processFailed(name: child.name, detail: "it listens at \"\(answer)\"")
    }
    return endpoint
  }

  func startDevices(at endpoint: SyncEndpoint) async throws {
    let processes = min(plan.devices.devices, Self.mostProcesses)
    let (share, rest) = plan.devices.devices.quotientAndRemainder(dividingBy: processes)
    for index in 0..<processes {
      let first = index * share + min(index, rest)
      let devices = first..<first + share + (index < rest ? 1 : 0)
      fleet.append(
        try ChildProcess(
          name: devices.count == 1
            ? "device \(devices.upperBound)"
            : "process of devices \(first + 1) to \(devices.upperBound)",
          arguments: [
            "run-device", "--endpoint", "\(endpoint)", "--devices", "\(plan.devices.devices)",
            "--first", "\(devices.lowerBound)", "--count", "\(devices.count)", "--mutations",
            "\(plan.devices.mutations)", "--rate", "\(plan.devices.rate)", "--batch",
            "\(plan.devices.filesPerMutation)", "--changed-files", "\(plan.devices.changedFiles)",
          ] + library))
    }
    for child in fleet { _ = try await ready(child) }
  }

  private var library: [String] {
    let library = plan.devices.library
    return [
      "--seed", "\(plan.devices.seed)", "--directories", "\(library.directories)", "--files",
      "\(library.filesPerDirectory)",
    ]
  }

  /// Waits until a process is ready.
  ///
  /// - Returns: the rest of its line.
  private func ready(_ child: ChildProcess) async throws -> String {
    let line = try await withThrowingTaskGroup(of: String?.self) { tasks in
      tasks.addTask { await child.line(beginning: "ready") }
      tasks.addTask {
        try await Task.sleep(for: Self.patience)
        return nil
      }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? nil
    }
    try Task.checkCancellation()
    guard let line else {
      throw PipelineError.processFailed(name: child.name, detail: child.exitReport)
    }
    return String(line.dropFirst("ready ".count))
  }

  // MARK: Running

  func begin(at start: Instant) {
    for child in fleet { child.tell("start \(start.nanoseconds)") }
  }

  func finish() async throws {
    try await withThrowingTaskGroup(of: Void.self) { [server, fleet] tasks in
      tasks.addTask {
        guard let server else { return }
        await server.ended()
        try Task.checkCancellation()
        throw Self.death(of: server)
      }
      tasks.addTask {
        for child in fleet where await child.line(beginning: "done") == nil {
          try Task.checkCancellation()
          throw Self.death(of: child)
        }
      }
      defer { tasks.cancelAll() }
      try await tasks.next()
    }
  }

  func casualty() async -> PipelineError? {
    // The end of a connection is detected before that of its process.
    try? await Task.sleep(for: .milliseconds(200))
    for child in [server].compactMap({ $0 }) + fleet where !child.isRunning {
      return Self.death(of: child)
    }
    return nil
  }

  private static func death(of child: ChildProcess) -> PipelineError {
    .processDied(name: child.name, detail: child.exitReport)
  }

  // MARK: Ending

  func stop() async {
    // A separate task, since it must complete after a cancellation.
    await Task {
      for child in fleet { await child.stop() }
      await server?.stop()
      folder.remove()
    }.value
  }
}

/// A pipeline run with processes, and its targets.
struct PipelineMeasurement {
  var rows: [ResultRow]
  var targets: [Target]

  /// Performs a run; the caller handles signals.
  static func result(of plan: PipelinePlan, progress: ProgressLine) async throws -> PipelineResult {
    try await PipelineRun(plan: plan, peers: PipelineProcesses(plan: plan)) {
      progress.report($0)
    }.run()
  }

  /// Returns the part of a report: a run over a Unix socket.
  ///
  /// It has no rows, and a warning is printed, if this machine cannot perform it: the rest of the report is
  /// still useful, and the targets are then reported without data.
  ///
  /// - Returns: `nil` if no preset has that name.
  /// - Throws: an error that is independent of the machine, such as
  ///   ``PipelineError/divergent(directories:first:)``.
  static func forBench(
    policy: String, seed: UInt64, progress: ProgressLine
  ) async throws -> PipelineMeasurement? {
    guard
      let plan = PipelinePlan.standard(
        transport: .unix, preset: policy, devices: 2, rate: 1_000, seed: seed, isQuick: false)
    else { return nil }
    var rows: [ResultRow] = []
    do {
      rows = try await TerminationSignals.cancelling {
        try await result(of: plan, progress: progress).rows
      }
    } catch let error as PipelineError {
      switch error {
      case .incomplete, .neverCame, .disconnected: break
      default: throw error
      }
      progress.end()
      Console.note("warning: the path from a device to the screen is not measured: \(error)")
    }
    return PipelineMeasurement(rows: rows, targets: MachineTargets.pipeline(plan))
  }
}
