import CacheModel
import CachePersistence
import Foundation
import Measurement
import NormalizedCache

/// The server and the devices of a run, each a process of this executable.
///
/// Up to sixteen processes hold the devices: with few, each has one of its own.
actor PipelineProcesses: PipelinePeers {
  private let plan: PipelinePlan
  private let folder: PipelineFolder
  private var server: ChildProcess?
  private var endpoint: SyncEndpoint
  private var fleet: [ChildProcess?]
  private var hogs: [ChildProcess] = []
  private var hasBegun: [Bool]
  /// The client with a storage of its own.
  private var client: ChildProcess?

  static let mostProcesses = 16
  /// How long a process may take until it is ready.
  private static let patience = Duration.seconds(30)

  /// - Throws: as ``PipelineFolder``.
  init(plan: PipelinePlan) throws {
    self.plan = plan
    folder = try PipelineFolder()
    endpoint =
      switch plan.transport {
      case .unix: .unix(path: folder.socket)
      case .tcp: .tcp(host: "127.0.0.1", port: 0)
      }
    let processes =
      min(plan.devices.devices, Self.mostProcesses) + (plan.indexer == nil ? 0 : 1)
    fleet = Array(repeating: nil, count: processes)
    hasBegun = Array(repeating: false, count: processes)
  }

  // MARK: Starting

  func startServer() async throws -> SyncEndpoint {
    while hogs.count < plan.hogs {
      let hog = try ChildProcess(name: "hog \(hogs.count + 1)", arguments: ["run-hog"])
      hogs.append(hog)
      _ = try await ready(hog)
    }
    var arguments = ["serve-sync", "--endpoint", "\(endpoint)", "--folder", folder.url.path]
    arguments += library
    // Without a fault nothing is read from it, and writing it would be measured too.
    if plan.fault == .server { arguments += ["--journal", folder.journal] }
    let child = try ChildProcess(name: "sync server", arguments: arguments)
    server = child
    let answer = try await ready(child)
    guard let endpoint = SyncEndpoint(answer) else {
      throw PipelineError.processFailed(name: child.name, detail: "it listens at \"\(answer)\"")
    }
    self.endpoint = endpoint
    return endpoint
  }

  func startDevices(at endpoint: SyncEndpoint) async throws {
    var started: [ChildProcess] = []
    for (index, child) in fleet.enumerated() where child?.isRunning != true {
      let child = try startProcess(index, at: endpoint)
      fleet[index] = child
      hasBegun[index] = false
      started.append(child)
    }
    for child in started { _ = try await ready(child) }
  }

  /// Starts one process of devices; the last is the indexer, where there is one.
  private func startProcess(_ index: Int, at endpoint: SyncEndpoint) throws -> ChildProcess {
    if let indexer = plan.indexer, index == fleet.count - 1 {
      return try ChildProcess(
        name: "indexer", arguments: arguments(of: indexer, devices: 0..<1, at: endpoint))
    }
    let range = devices(ofProcess: index)
    return try ChildProcess(
      name: range.count == 1
        ? "device \(range.upperBound)"
        : "process of devices \(range.lowerBound + 1) to \(range.upperBound)",
      arguments: arguments(of: plan.devices, devices: range, at: endpoint))
  }

  private func arguments(
    of plan: DevicePlan, devices: Range<Int>, at endpoint: SyncEndpoint
  ) -> [String] {
    [
      "run-device", "--endpoint", "\(endpoint)", "--devices", "\(plan.devices)", "--first",
      "\(devices.lowerBound)", "--count", "\(devices.count)", "--mutations", "\(plan.mutations)",
      "--rate", "\(plan.rate)", "--batch", "\(plan.filesPerMutation)", "--changed-files",
      "\(plan.changedFiles)", "--burst", "\(plan.burst)", "--first-revision",
      "\(plan.firstRevision)", "--draw-seed", "\(plan.seed)",
    ] + library
  }

  func startClient(at endpoint: SyncEndpoint) async throws -> Resumption {
    let child = try ChildProcess(
      name: "client with a storage",
      arguments: [
        "run-client", "--endpoint", "\(endpoint)", "--policy", plan.policy, "--storage",
        folder.clientStorage,
      ] + library)
    client = child
    let answer = try await ready(child)
    let numbers = answer.split(separator: " ").compactMap { UInt64($0) }
    guard numbers.count == 3 else {
      throw PipelineError.processFailed(name: child.name, detail: "it says \"\(answer)\"")
    }
    return Resumption(stored: numbers[0], reached: numbers[1], fetches: Int(numbers[2]))
  }

  private func devices(ofProcess index: Int) -> Range<Int> {
    let processes = fleet.count - (plan.indexer == nil ? 0 : 1)
    let (share, rest) = plan.devices.devices.quotientAndRemainder(dividingBy: processes)
    let first = index * share + min(index, rest)
    return first..<first + share + (index < rest ? 1 : 0)
  }

  private var library: [String] {
    let library = plan.devices.library
    return [
      "--seed", "\(plan.devices.seed)", "--directories", "\(library.directories)", "--files",
      "\(library.filesPerDirectory)",
    ]
  }

  /// Waits until a process says that it is ready.
  ///
  /// - Returns: what it adds to that.
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
      throw PipelineError.processFailed(name: child.name, detail: await child.exitReport())
    }
    return String(line.dropFirst("ready ".count))
  }

  // MARK: Running

  func begin(at start: Instant) async throws {
    for (index, child) in fleet.enumerated() where !hasBegun[index] {
      child?.tell("start \(start.nanoseconds)")
      hasBegun[index] = true
    }
  }

  func kill(_ fault: PipelinePlan.Fault) async throws {
    switch fault {
    case .server: await server?.kill()
    case .device: await fleet.first??.kill()
    case .client: await client?.kill()
    }
  }

  func makeStorage() -> any CacheStorage { SQLiteStorage(path: folder.storage) }

  func finish() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      let watch = Task { try await watchServer() }
      defer { watch.cancel() }
      tasks.addTask {
        try await withTaskCancellationHandler {
          try await watch.value
        } onCancel: {
          watch.cancel()
        }
      }
      tasks.addTask { [processes = fleet.count] in
        for index in 0..<processes { try await self.finishDevices(ofProcess: index) }
        watch.cancel()
      }
      while try await tasks.next() != nil {}
    }
  }

  func finishClient(through sequence: UInt64) async throws {
    guard let client else { return }
    client.tell("finish \(sequence)")
    guard await client.line(beginning: "done") != nil else {
      try Task.checkCancellation()
      throw PipelineError.processFailed(name: client.name, detail: await client.exitReport())
    }
  }

  /// Returns when it is cancelled.
  private func watchServer() async throws {
    while let child = server, !Task.isCancelled {
      await child.ended()
      guard !child.isRunning, !Task.isCancelled else { return }
      guard child.wasKilled else {
        throw PipelineError.processDied(name: child.name, detail: await child.exitReport())
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  private func finishDevices(ofProcess index: Int) async throws {
    while let child = fleet[index] {
      let line = await child.line(beginning: "done")
      try Task.checkCancellation()
      if line != nil { return }
      guard child.wasKilled else {
        throw PipelineError.processDied(name: child.name, detail: await child.exitReport())
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func casualty() async -> PipelineError? {
    for child in [server] + fleet + [client] {
      guard let child, !child.isRunning, !child.wasKilled else { continue }
      return .processDied(name: child.name, detail: await child.exitReport())
    }
    return nil
  }

  // MARK: Ending

  func stop() async {
    // Not a part of what may have been cancelled: it must come to its end.
    await Task {
      for child in fleet { await child?.stop() }
      await client?.stop()
      await server?.stop()
      for hog in hogs { await hog.stop() }
      folder.remove()
    }.value
  }
}
