package import CacheModel
import NormalizedCache
package import ResultModel

/// The plan of a pipeline run: devices, a server and a client in separate processes, their transport, and the
/// load.
package struct PipelinePlan: Sendable {
  package enum Transport: String, Sendable, CaseIterable {
    case unix, tcp
  }

  package var transport: Transport
  /// The name of the preset, for the policy column.
  package var policy: String
  package var composition: CachePolicy
  package var devices: DevicePlan
  /// The number of events that warm up.
  package var warmUp: Int
  package var framesPerSecond = 60
  /// The number of callbacks, distributed over listings; `nil`: one each.
  ///
  /// With fewer callbacks than listings, only that many listings are observed and changed.
  package private(set) var observers: Int?
  /// The rate of reads of listings per second, both from the cache under test and from one without events.
  package var readsPerSecond: Double?
  package var limits = WireLimits()

  /// Returns the frames of the screen, counted from an instant.
  package func frames(from start: Instant) -> FrameClock {
    FrameClock(origin: start, framesPerSecond: framesPerSecond)
  }

  package static let scenario = "pipeline"
  package static let largestFleet = 1_000
  /// The maximum number of files that one run changes; each is encoded in advance, and takes a kilobyte.
  package static let largestScript = 100_000
  /// The minimum number of events, enough for a median after the warm-up.
  package static let fewestEvents = 22
  package static let mostObservers = 10_000

  package mutating func setObservers(_ count: Int) {
    precondition(count > 0)
    observers = count
    devices.changedFiles = observedDirectories * devices.library.filesPerDirectory
  }

  /// The number of observed directories, the first ones of the library; the others are cached and unchanged.
  package var observedDirectories: Int {
    min(observers ?? .max, devices.library.directories)
  }

  /// Returns the number of observers of a directory's listing.
  func observers(ofDirectory directory: Int) -> Int {
    guard let observers else { return 1 }
    let (share, rest) = observers.quotientAndRemainder(dividingBy: devices.library.directories)
    return share + (directory < rest ? 1 : 0)
  }

  /// Returns a run over the standard library with a preset, and a capacity for all of it.
  ///
  /// It takes eleven seconds, enough for p99.9 from a rate of 1,000, or one and a half if it is quick.
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

  /// Sets the length of the run, within the maximum number of changed files.
  package mutating func setLength(seconds: Double) {
    let largest = max(Self.largestScript / devices.filesPerMutation, Self.fewestEvents)
    devices.mutations = min(max(Int(devices.rate * seconds), Self.fewestEvents), largest)
    warmUp = min(devices.mutations / 20, 500)
  }
}

extension PipelinePlan {
  /// The class of this run's rows.
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
