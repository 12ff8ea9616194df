package import CacheModel
import NormalizedCache
package import ResultModel

/// The plan of a pipeline run: devices, a server and a client in separate processes, which sockets, and how
/// often.
package struct PipelinePlan: Sendable {
  package enum Transport: String, Sendable, CaseIterable {
    case unix, tcp
  }

  package var transport: Transport
  /// The name of the preset, for the policy column.
  package var policy: String
  package var composition: CachePolicy
  package var devices: DevicePlan
  /// Events at the beginning that are not counted.
  package var warmUp: Int
  package var framesPerSecond = 60
  /// Callbacks that observe listings, shared out among them; `nil`: one each.
  ///
  /// If there are fewer than listings, only that many listings are observed and changed.
  package private(set) var observers: Int?
  /// Reads of listings per second, from the cache under test and from one that receives no events.
  package var readsPerSecond: Double?
  package var limits = WireLimits()

  /// The frames of the screen, counted from an instant.
  package func frames(from start: Instant) -> FrameClock {
    FrameClock(origin: start, framesPerSecond: framesPerSecond)
  }

  package static let scenario = "pipeline"
  package static let largestFleet = 1_000
  /// The most files that one run changes; each is written before the run begins, a kilobyte each.
  package static let largestScript = 100_000
  /// Enough for a median after the warm-up.
  package static let fewestEvents = 22
  package static let mostObservers = 10_000

  package mutating func setObservers(_ count: Int) {
    precondition(count > 0)
    observers = count
    devices.changedFiles = observedDirectories * devices.library.filesPerDirectory
  }

  /// The first directories of the library are observed; the others are cached and not changed.
  package var observedDirectories: Int {
    min(observers ?? .max, devices.library.directories)
  }

  /// How many observe the listing of a directory.
  func observers(ofDirectory directory: Int) -> Int {
    guard let observers else { return 1 }
    let (share, rest) = observers.quotientAndRemainder(dividingBy: devices.library.directories)
    return share + (directory < rest ? 1 : 0)
  }

  /// A run over the standard population under a preset, with room for all of it.
  ///
  /// Eleven seconds, which are enough for p99.9 from a rate of 1,000 on; one and a half if it is
  /// quick.
  ///
  /// - Returns: `nil` if no preset has that name.
  package static func standard(
    transport: Transport, preset name: String, devices: Int, rate: Double, batch: Int = 1,
    seed: UInt64, isQuick: Bool = false
  ) -> PipelinePlan? {
    let library =
      isQuick
      ? FileLibrary(directories: 20, filesPerDirectory: 100, seed: seed) : .standard(seed: seed)
    guard let composition = library.composition(preset: name) else { return nil }
    var plan = PipelinePlan(
      transport: transport, policy: name, composition: composition,
      devices: DevicePlan(
        library: library, seed: seed, devices: devices, mutations: 1, rate: rate,
        filesPerMutation: batch),
      warmUp: 0)
    plan.setLength(seconds: isQuick ? 1.5 : 11)
    return plan
  }

  /// Makes the run as long, within what one run may change.
  package mutating func setLength(seconds: Double) {
    let largest = max(Self.largestScript / devices.filesPerMutation, Self.fewestEvents)
    devices.mutations = min(max(Int(devices.rate * seconds), Self.fewestEvents), largest)
    warmUp = min(devices.mutations / 20, 500)
  }
}

extension PipelinePlan {
  /// Distinguishes the rows of this run from those of others.
  package var className: ResultClass {
    let files = devices.filesPerMutation
    let parts = [
      transport.rawValue, files == 1 ? nil : "batch-\(files)",
      observers.map { "observers-\($0)" },
      readsPerSecond.map { "reads-\(Int($0))" },
    ]
    return ResultClass(parts.compactMap { $0 }.joined(separator: "-"))
  }
}
