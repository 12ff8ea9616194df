package import CacheModel
import FoundationEssentials
import NIOCore
import NIOPosix

/// Devices that change files of a sync server, open loop: whether or not it keeps up.
///
/// All on one event loop: one process may hold many.
package struct DeviceFleet: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let devices: [NIOLoopBound<Device>]

  /// Connects every device.
  ///
  /// - Parameters:
  ///   - endpoint: where the server listens.
  ///   - plan: what all devices of the run do.
  ///   - devices: which of the plan's.
  ///   - limits: what is put up with.
  /// - Returns: the fleet, which waits for ``run(from:)``.
  /// - Throws: ``SyncProtocolError`` where the server refuses or does not answer.
  package static func connect(
    to endpoint: SyncEndpoint, plan: DevicePlan, devices: Range<Int>,
    limits: WireLimits = WireLimits()
  ) async throws -> DeviceFleet {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      var connected: [NIOLoopBound<Device>] = []
      for number in devices {
        let script = try MutationScript(plan: plan, device: number)
        let arrivals = plan.arrivals(ofDevice: number)
        let device = try await loop.submit {
          NIOLoopBound(
            Device(
              number: number, script: script, arrivals: arrivals, endpoint: endpoint,
              limits: limits, loop: loop),
            eventLoop: loop)
        }.get()
        try await loop.flatSubmit { device.value.connect() }.get()
        connected.append(device)
      }
      return DeviceFleet(group: group, devices: connected)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Sends every mutation at its time after `start`, and waits until the server has accepted all.
  ///
  /// - Returns: how many were accepted.
  /// - Throws: ``SyncProtocolError`` where the server refuses, or ends a connection.
  package func run(from start: Instant) async throws -> Int {
    let loop = group.next()
    // Asked for at once: a loop that has been shut down answers no one who asks later.
    return try await loop.flatSubmit { [devices] in
      EventLoopFuture.reduce(0, devices.map { $0.value.run(from: start) }, on: loop, +)
    }.get()
  }

  package func stop() async {
    for device in devices { group.next().execute { device.value.stop() } }
    try? await group.shutdownGracefully()
  }
}
