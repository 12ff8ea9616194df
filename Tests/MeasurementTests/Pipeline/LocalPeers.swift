import CacheModel
import Foundation
import Measurement
import NormalizedCache
import Synchronization
import TidemarkTestSupport

/// The other participants of a run as tasks of the test's own process; a killed one is stopped, and
/// its state is what its journal says.
actor LocalPeers: PipelinePeers {
  private let plan: PipelinePlan
  private let folder: URL
  private var server: SyncService?
  private var fleet: DeviceFleet?
  private var indexers: DeviceFleet?
  /// Fleets that are to finish; one that was killed is not waited for.
  private var running: [Int: DeviceFleet] = [:]
  private var fleetsBegun = 0
  private var failure: (any Error)?
  /// What the log of the server holds at most.
  var limits = SyncServer.Limits()
  private let port = Mutex(0)
  nonisolated let storage = GatedStorage()
  private let clientStorage = GatedStorage()
  private var keptClient: (client: KeptClient, storage: SeverableStorage)?

  init(plan: PipelinePlan, limits: SyncServer.Limits = .init()) throws {
    self.plan = plan
    self.limits = limits
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-p\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  nonisolated var leavesFolder: Bool { FileManager.default.fileExists(atPath: folder.path) }

  func startServer() async throws -> SyncEndpoint {
    let endpoint: SyncEndpoint =
      switch plan.transport {
      case .unix: .unix(path: folder.appendingPathComponent("s").path)
      case .tcp: .tcp(host: "127.0.0.1", port: port.withLock { $0 })
      }
    let service = try await SyncService.start(
      at: endpoint, server: SyncServer(library: plan.devices.library, limits: limits),
      journal: folder.appendingPathComponent("journal").path, limits: plan.limits)
    if case .tcp(_, let chosen) = service.endpoint { port.withLock { $0 = chosen } }
    server = service
    return service.endpoint
  }

  func startDevices(at endpoint: SyncEndpoint) async throws {
    fleet = try await DeviceFleet.connect(
      to: endpoint, plan: plan.devices, devices: 0..<plan.devices.devices)
    if let indexer = plan.indexer {
      indexers = try await DeviceFleet.connect(to: endpoint, plan: indexer, devices: 0..<1)
    }
  }

  func begin(at start: Instant) async throws {
    // Those that go on were begun before.
    let fleets = plan.fault == .device && fleetsBegun > 0 ? [fleet] : [fleet, indexers]
    for fleet in fleets.compactMap({ $0 }) {
      let number = fleetsBegun
      fleetsBegun += 1
      running[number] = fleet
      Task {
        do {
          _ = try await fleet.run(from: start)
          running[number] = nil
        } catch {
          if running.removeValue(forKey: number) != nil { failure = error }
        }
      }
    }
  }

  func kill(_ fault: PipelinePlan.Fault) async throws {
    switch fault {
    case .server: await server?.stop()
    case .device:
      // The first to begin.
      running[0] = nil
      await fleet?.stop()
    case .client:
      // What it had not written when it died is not written.
      // And it does not die before it has written anything.
      while await clientStorage.batches.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      keptClient?.storage.sever()
      await keptClient?.client.abandon()
    }
  }

  nonisolated func makeStorage() -> any CacheStorage { storage }

  func startClient(at endpoint: SyncEndpoint) async throws -> Resumption {
    let severable = SeverableStorage(base: clientStorage)
    let client = try await KeptClient.start(
      at: endpoint, library: plan.devices.library, composition: plan.composition,
      storage: severable, writeBehind: WriteBehind(window: .milliseconds(20)))
    keptClient = (client, severable)
    return client.resumption
  }

  func finishClient(through sequence: UInt64) async throws {
    try await keptClient?.client.finish(through: sequence)
  }

  /// Returns when the devices have begun.
  func begun() async throws {
    while fleetsBegun == 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  func casualty() -> PipelineError? { nil }

  func finish() async throws {
    while fleetsBegun < (plan.fault == .device ? 2 : 1) || !running.isEmpty {
      if let failure { throw failure }
      try await Task.sleep(for: .milliseconds(10))
    }
    if let failure { throw failure }
  }

  func stop() async {
    await keptClient?.client.abandon()
    await fleet?.stop()
    await indexers?.stop()
    await server?.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// A storage whose process can die: what comes after is not written.
final class SeverableStorage: CacheStorage {
  private let base: any CacheStorage
  private let isSevered = Mutex(false)

  init(base: any CacheStorage) { self.base = base }

  func sever() { isSevered.withLock { $0 = true } }

  func load() async throws(StorageError) -> State { try await base.load() }

  func write(_ batch: Batch) async throws(StorageError) {
    if isSevered.withLock({ $0 }) { throw .closed }
    try await base.write(batch)
  }

  func close() async {}
}
