import CacheModel
import Foundation

@testable import RealTime

/// The other participants of a run as tasks of the test's own process.
actor LocalPeers: PipelinePeers {
  private let plan: PipelinePlan
  private let folder: URL
  private var server: SyncService?
  private var fleet: DeviceFleet?
  /// Whether the devices are done; `nil` before they have begun.
  private var isDone: Bool?
  private var failure: (any Error)?

  init(plan: PipelinePlan) throws {
    self.plan = plan
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-p\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  nonisolated var leavesFolder: Bool { FileManager.default.fileExists(atPath: folder.path) }

  func startServer() async throws -> SyncEndpoint {
    let endpoint: SyncEndpoint =
      switch plan.transport {
      case .unix: .unix(path: folder.appendingPathComponent("s").path)
      case .tcp: .tcp(host: "127.0.0.1", port: 0)
      }
    let service = try await SyncService.start(
      at: endpoint, server: SyncServer(library: plan.devices.library), limits: plan.limits)
    server = service
    return service.endpoint
  }

  func startDevices(at endpoint: SyncEndpoint) async throws {
    fleet = try await DeviceFleet.connect(
      to: endpoint, plan: plan.devices, devices: 0..<plan.devices.devices)
  }

  func begin(at start: Instant) {
    isDone = false
    Task {
      do {
        _ = try await fleet?.run(from: start)
        isDone = true
      } catch {
        failure = error
      }
    }
  }

  /// Returns when the devices have begun.
  func begun() async throws {
    while isDone == nil { try await Task.sleep(for: .milliseconds(5)) }
  }

  func stopServer() async {
    let stopped = server
    server = nil
    await stopped?.stop()
  }

  func casualty() -> PipelineError? { nil }

  func finish() async throws {
    while isDone != true {
      if let failure { throw failure }
      // Asked again and again, since a fleet is not cancelled.
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func stop() async {
    await fleet?.stop()
    await stopServer()
    try? FileManager.default.removeItem(at: folder)
  }
}
