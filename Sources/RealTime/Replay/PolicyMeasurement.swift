package import CacheModel
package import CacheSimulation
import NormalizedCache
import Processes
package import ResultModel
package import Workloads

/// The policies of a scenario on its own workload, in real time: one cache for each, and a control.
///
/// Each is played what the simulated cache of the same policy was given: events at Poisson instants,
/// and between two events the reads and answers that were drawn there. They take turns, one seed each,
/// since side by side each would wait for processors that the others keep busy, as no app's cache does.
/// Seeds are strung together until there are events enough.
package struct PolicyMeasurement: Sendable {
  package let scenario: String
  package let policies: [ReplayedPolicy]
  package let seed: UInt64
  /// What happens under a seed, and the limits of policies that have none.
  private let workload: @Sendable (UInt64) -> Workload
  private let sharedLimits: SharedLimits
  /// Single events per second to each cache.
  package var rate = 1_000.0
  package var extent = Extent.full

  /// How many seeds are played.
  package enum Extent: Sendable {
    /// One, however few its events are.
    case quick
    /// Until p99 can be stated of the events that concern an observer, and p99.9 of all events.
    case full

    /// Single events, and of them those that concern an observer.
    fileprivate var fewest: (events: Int, told: Int) {
      switch self {
      case .quick: (0, 0)
      case .full: (10_000, 1_000)
      }
    }

    /// However few of the events concern an observer, and however few a seed has.
    fileprivate var most: (events: Int, seeds: Int) {
      switch self {
      case .quick: (0, 1)
      case .full: (40_000, 60)
      }
    }
  }

  /// - Parameters:
  ///   - scenario: what the rows call it.
  ///   - policies: at least one.
  ///   - seed: the first.
  ///   - sharedLimits: what holds for policies without limits of their own.
  ///   - workload: what happens under a seed.
  package init(
    scenario: String, policies: [ReplayedPolicy], seed: UInt64, sharedLimits: SharedLimits,
    workload: @escaping @Sendable (UInt64) -> Workload
  ) {
    self.scenario = scenario
    self.policies = policies
    self.seed = seed
    self.sharedLimits = sharedLimits
    self.workload = workload
  }

  /// What has been seen of one policy.
  private struct Standing {
    var samples = PolicySamples()
    /// By the simulator, and by the cache that was measured.
    var simulated = Hits()
    var played = Hits()
  }

  private struct Hits {
    var reads = 0
    var hits = 0

    var ratio: Double? { reads == 0 ? nil : Double(hits) / Double(reads) }

    mutating func add(reads: Int, hits: Int) {
      self.reads += reads
      self.hits += hits
    }
  }

  /// - Throws: what a simulation throws, or a coder.
  package func run(progress: @Sendable (String) -> Void) async throws -> [ResultRow] {
    var standings = policies.map { _ in Standing() }
    var control = PolicySamples()
    var seeds = 0
    repeat {
      let workload = workload(seed &+ UInt64(seeds))
      seeds += 1
      progress("\(scenario), seed \(workload.seed): what each cache will be given")
      try await play(workload, turn: seeds, &standings, &control, progress)
    } while needsMore(standings, events: control.eventCount, seeds: seeds)
    return zip(policies, standings).flatMap { policy, standing in
      hits(of: standing, policy: policy.name)
        + standing.samples.rows(scenario: scenario, policy: policy.name, seed: seed)
    } + control.controlRows(scenario: scenario, seed: seed)
  }

  private func needsMore(_ standings: [Standing], events: Int, seeds: Int) -> Bool {
    let (fewest, most) = (extent.fewest, extent.most)
    guard seeds < most.seeds, events < most.events else { return false }
    return events < fewest.events || standings.contains { $0.samples.toldCount < fewest.told }
  }

  private func play(
    _ workload: Workload, turn: Int, _ standings: inout [Standing], _ control: inout PolicySamples,
    _ progress: @Sendable (String) -> Void
  ) async throws {
    let simulation = Simulation(of: workload, sharedLimits: sharedLimits)
    let calls = try policies.map {
      try simulation.calls(ofClient: 0, policy: $0.name, composition: $0.composition)
    }
    let values = try ReplayValues(of: workload, needing: calls)
    let clock = ContinuousCacheClock()
    func cache(_ index: Int, _ path: ReplayCache.Path) throws -> ReplayCache {
      try ReplayCache(
        calls: calls[index], policy: policies[index], path: path, values: values,
        schema: simulation.schema, library: workload.library, clock: clock)
    }
    let caches = try policies.indices.map { try cache($0, .actor) }
    // The first policy's once more, as an app reaches it.
    let app = try cache(0, .apps)
    let silent = try ReplayControl(messages: app.messages, of: values.model, clock: clock)
    let subjects: [(any Subject<Handover> & Sendable, [Int])] =
      caches.map { ($0, $0.entities) } + [(silent, app.entities), (app, app.entities)]
    let random = RandomSource(seed: workload.seed)
    let lanes = subjects.enumerated().map { index, subject in
      Lane(
        entities: subject.1, rate: rate,
        random: random.substream("session-arrivals", UInt64(index)), subject: subject.0,
        clock: clock)
    }
    progress("\(scenario), seed \(workload.seed): \(app.messages.count) events each")

    var seen = lanes.map { _ in [LaneEvent]() }
    for index in Turns.order(of: lanes.count, inRound: turn) {
      seen[index] = try await lanes[index].run(from: clock.now.advanced(by: .milliseconds(50)))
      var subject = subjects[index].0
      try await subject.close()
    }
    for (index, cache) in caches.enumerated() {
      let played = await cache.result()
      standings[index].samples.add(seen[index], reads: played.readTimes)
      standings[index].simulated.add(reads: calls[index].reads, hits: calls[index].hits)
      standings[index].played.add(reads: played.reads, hits: played.hits)
    }
    control.add(seen[caches.count], reads: [])
    standings[0].samples.add(throughApps: seen[caches.count + 1])
    _ = await app.result()
  }

  private func hits(of standing: Standing, policy: String) -> [ResultRow] {
    let rows = RunRows(scenario: scenario, policy: policy, seed: seed)
    return [(Metric.hitRatio, standing.simulated), (.measuredHitRatio, standing.played)].map {
      metric, hits in
      rows.row(metric, hits.ratio.map { .real($0) }, class: "all", count: hits.reads)
    }
  }
}

/// A policy whose cache is measured.
package struct ReplayedPolicy: Sendable {
  package var name: String
  package var composition: CachePolicy
  /// What is wrong with it on purpose.
  package var handicap: Handicap?

  package init(name: String, composition: CachePolicy) {
    self.name = name
    self.composition = composition
  }

  /// A fault that a measurement must show: where it does not, its other figures are worth nothing.
  package enum Handicap: String, Sendable, CaseIterable {
    /// Each event costs 10 µs more until it is committed.
    case slow
    /// Each entity takes 1,000 bytes more.
    case fat

    package static let slowness = Duration.microseconds(10)
    package static let fatness = 1_000
  }

  /// The same policy with a handicap, under a name of its own, such as `lru+slow`.
  package func with(_ handicap: Handicap) -> ReplayedPolicy {
    var policy = self
    policy.name = "\(name)+\(handicap.rawValue)"
    policy.handicap = handicap
    return policy
  }
}
