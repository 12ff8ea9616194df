package import CacheModel
import NormalizedCache

/// What a latency run does: which events, how many, how often, under which policy.
package struct LatencyPlan: Sendable {
  package var scenario: String
  /// The name of the preset, for the policy column.
  package var policy: String
  package var composition: PolicyComposition
  package var seed: UInt64
  package var library: FileLibrary
  package var phases: [Phase]
  /// Single events that the control is sent while nothing else runs, half before the phases and half
  /// after them.
  package var aloneSamples = 2_000

  /// One event class.
  ///
  /// Its lanes (a cache per door, and the control) run at the same time, so all
  /// face the same machine; their arrivals are independent.
  package struct Phase: Hashable, Sendable {
    package var eventClass: EventClass
    /// Events to count in each lane, after those of the warm-up.
    package var samples: Int
    package var warmUp: Int
    /// Events per second in each lane.
    package var rate: Double
    /// Events to count, and per second, in the lane that is drawn at the next frame; events of the
    /// warm-up come before as in the other lanes.
    package var frameSamples: Int
    package var frameRate: Double

    package init(
      eventClass: EventClass, samples: Int, warmUp: Int, rate: Double, frameSamples: Int,
      frameRate: Double
    ) {
      self.eventClass = eventClass
      self.samples = samples
      self.warmUp = warmUp
      self.rate = rate
      self.frameSamples = frameSamples
      self.frameRate = frameRate
    }
  }

  /// About 25 seconds: enough single events for p99.9.
  package static let fullPhases = [
    Phase(
      eventClass: .single, samples: 11_000, warmUp: 400, rate: 1_000, frameSamples: 1_200,
      frameRate: 140),
    Phase(
      eventClass: .batch100, samples: 200, warmUp: 10, rate: 40, frameSamples: 100, frameRate: 20),
    Phase(
      eventClass: .batch1000, samples: 20, warmUp: 1, rate: 4, frameSamples: 12, frameRate: 2.4),
  ]

  /// About 5 seconds: p99 of single events, p50 of the rest.
  package static let quickPhases = [
    Phase(
      eventClass: .single, samples: 1_200, warmUp: 100, rate: 600, frameSamples: 200,
      frameRate: 100),
    Phase(
      eventClass: .batch100, samples: 24, warmUp: 2, rate: 20, frameSamples: 20, frameRate: 16),
    Phase(eventClass: .batch1000, samples: 4, warmUp: 1, rate: 5, frameSamples: 2, frameRate: 3),
  ]

  /// A run over the standard population under a preset, with room for all of it.
  ///
  /// - Returns: `nil` where no preset has that name.
  package static func standard(
    preset name: String, seed: UInt64, isQuick: Bool = false
  ) -> LatencyPlan? {
    let library = FileLibrary.standard(seed: seed)
    guard let composition = library.composition(preset: name) else { return nil }
    return LatencyPlan(
      scenario: "update-to-notify", policy: name, composition: composition, seed: seed,
      library: library, phases: isQuick ? quickPhases : fullPhases)
  }

  package init(
    scenario: String, policy: String, composition: PolicyComposition, seed: UInt64,
    library: FileLibrary, phases: [Phase]
  ) {
    self.scenario = scenario
    self.policy = policy
    self.composition = composition
    self.seed = seed
    self.library = library
    self.phases = phases
  }
}
