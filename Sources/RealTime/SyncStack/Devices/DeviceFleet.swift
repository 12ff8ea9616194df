package import CacheModel
import FoundationEssentials
import NIOCore
import NIOPosix

/// Devices that change files of a sync server in an open loop, even if it does not keep up.
///
/// All share one event loop: one process may have many.
package struct DeviceFleet: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let devices: [NIOLoopBound<Device>]

  /// Connects every device.
  ///
  /// - Parameters:
  ///   - endpoint: the address of the server.
  ///   - plan: the plan for all devices of the run.
  ///   - devices: the indices of these devices in the plan.
  ///   - limits: the limits for the server.
  /// - Returns: the fleet, which waits for ``run(from:)``.
  /// - Throws: ``SyncProtocolError`` if the server refuses or does not answer.
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
  /// - Returns: the number of accepted mutations.
  /// - Throws: ``SyncProtocolError`` if the server refuses, or ends a connection.
  package func run(from start: Instant) async throws -> Int {
    let loop = group.next()
    // Requested in one job: a loop that has been shut down answers no later request.
    return try await loop.flatSubmit { [devices] in
      EventLoopFuture.reduce(0, devices.map { $0.value.run(from: start) }, on: loop, +)
    }.get()
  }

  package func stop() async {
    for device in devices { group.next().execute { device.value.stop() } }
    try? await group.shutdownGracefully()
  }
}

/// The mutations of a number of devices and their times: determined by the seed, in any process.
package struct DevicePlan: Sendable {
  package var library: FileLibrary
  package var seed: UInt64
  /// The number of devices of the run.
  package var devices: Int
  /// The number of mutations of all devices together, and their rate per second.
  package var mutations: Int
  package var rate: Double
  /// The number of files that one mutation changes.
  package var filesPerMutation = 1
  /// The number of changed files, from the first one of the library; by default all.
  package var changedFiles: Int {
    didSet { filesPerMutation = min(filesPerMutation, changedFiles) }
  }

  package init(
    library: FileLibrary, seed: UInt64, devices: Int, mutations: Int, rate: Double,
    filesPerMutation: Int = 1
  ) {
    precondition(devices > 0 && mutations > 0 && filesPerMutation > 0)
    changedFiles = library.fileCount
    self.library = library
    self.seed = seed
    self.devices = devices
    self.mutations = mutations
    self.rate = rate
    self.filesPerMutation = min(filesPerMutation, library.fileCount)
  }

  /// Returns the number of mutations of a device; the first devices send the remainder.
  package func mutations(ofDevice device: Int) -> Int {
    mutations / devices + (device < mutations % devices ? 1 : 0)
  }

  /// Returns the intended send times of a device: each has its own Poisson process, so that all together are
  /// one too.
  package func arrivals(ofDevice device: Int) -> ArrivalProcess {
    ArrivalProcess(
      count: mutations(ofDevice: device), perSecond: rate / Double(devices),
      random: RandomSource(seed: seed).substream("device-arrivals", UInt64(device)))
  }

  /// The intended time of the last mutation of all devices.
  package var lastOffset: Int64 {
    (0..<min(devices, mutations)).map { arrivals(ofDevice: $0).offsets.last ?? 0 }.max() ?? 0
  }

  /// Returns the files that a mutation changes: devices change disjoint files.
  func files(ofMutation index: Int, device: Int) -> [Int] {
    FileLibrary.files(
      ofChange: index * devices + device, count: filesPerMutation, among: changedFiles)
  }

  /// The maximum number of files that one mutation changes.
  package static let largestBatch = 1_000
}

/// The lines of one device, encoded before the run except for the instants, so that sending is cheap.
struct MutationScript: Sendable {
  /// The part after the instants, by mutation.
  private let tails: [Data]
  let tokens: [UUID]

  /// - Throws: the JSON encoder's error.
  init(plan: DevicePlan, device: Int) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.withoutEscapingSlashes]
    var random = RandomSource(seed: plan.seed).substream("device-tokens", UInt64(device))
    tokens = (0..<plan.mutations(ofDevice: device)).map { _ in random.nextUUID() }
    tails = try tokens.enumerated().map { index, token in
      let files = plan.files(ofMutation: index, device: device).map {
        plan.library.payload(ofFile: $0, revision: index * plan.devices + device + 1)
      }
      var tail = Data(",\"device\":\(device + 1),\"token\":\"\(token.uuidString)\",\"files\":".utf8)
      tail.append(try encoder.encode(files))
      tail.append(contentsOf: Array("}\n".utf8))
      return tail
    }
  }

  var count: Int { tails.count }

  /// Returns the complete line of a mutation.
  func line(_ index: Int, intended: Int64, sent: Int64) -> Data {
    var line = Data("{\"kind\":\"mutation\",\"intended\":\(intended),\"sent\":\(sent)".utf8)
    line.append(tails[index])
    return line
  }
}

/// The arrival times of events: a Poisson process, so that nothing synchronizes with a frame clock.
///
/// The instants are predetermined and independent of response times: the loop is open.
package struct ArrivalProcess: Sendable {
  /// The arrival times in nanoseconds from the start of the run, in order.
  package let offsets: [Int64]

  /// - Precondition: `perSecond` is positive.
  package init(count: Int, perSecond rate: Double, random: RandomSource) {
    precondition(rate > 0, "events that never arrive cannot be measured")
    var random = random
    var offset = 0.0
    offsets = (0..<count).map { _ in
      offset += random.exponential(mean: 1e9 / rate)
      return Int64(offset)
    }
  }
}
