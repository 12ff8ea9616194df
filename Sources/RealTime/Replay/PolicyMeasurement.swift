package import CacheModel
package import CacheSimulation
import NormalizedCache
import Processes
package import ResultModel
package import Workloads

/// Measures the policies of a scenario on its own workload in real time: one cache for each, and a control.
///
/// Each gets the calls of the simulated cache with the same policy: events at Poisson instants, and between
/// two events the reads and answers. The policies alternate by rounds, since in parallel each would wait for
/// processors that the others use, unlike an app's cache. Rounds are repeated until there are enough events:
/// those of a scenario with other seeds, those of an app with the next recording, cyclically. A workload
/// without events counts reads instead.
package struct PolicyMeasurement: Sendable {
  package let scenario: String
  package let policies: [ReplayedPolicy]
  package let seed: UInt64
  /// Returns the workload of a round, and the policies for its queries.
  private let round: @Sendable (Int) -> Round
  private let sharedLimits: SharedLimits
  /// The rate of single events per second to each cache.
  package var rate = 1_000.0
  package var extent = Extent.full

  /// The content of a round.
  package struct Round: Sendable {
    var workload: Workload
    var compositions: [CachePolicy]

    /// - Parameters:
    ///   - workload: the workload.
    ///   - compositions: the policies for it, in their order.
    package init(_ workload: Workload, _ compositions: [CachePolicy]) {
      self.workload = workload
      self.compositions = compositions
    }
  }

  /// The number of rounds.
  package enum Extent: Sendable {
    /// One round, with any number of events.
    case quick
    /// Enough rounds for p99 of all events.
    case tail
    /// Enough rounds for p99 of the events that affect an observer, and for p99.9 of all events.
    case full

    /// The minimum number of single events, and of those that affect an observer.
    fileprivate var fewest: (events: Int, told: Int) {
      switch self {
      case .quick: (0, 0)
      case .tail: (1_000, 0)
      case .full: (10_000, 1_000)
      }
    }

    /// The maximum, even if few events affect an observer or a round has few.
    fileprivate var most: (events: Int, rounds: Int) {
      switch self {
      case .quick: (0, 1)
      case .tail: (4_000, 12)
      case .full: (40_000, 60)
      }
    }
  }

  /// - Parameters:
  ///   - scenario: its name in the rows.
  ///   - policies: at least one.
  ///   - seed: the first seed.
  ///   - sharedLimits: the limits of policies without limits of their own.
  ///   - round: returns the content of each round, from 0.
  package init(
    scenario: String, policies: [ReplayedPolicy], seed: UInt64, sharedLimits: SharedLimits,
    round: @escaping @Sendable (Int) -> Round
  ) {
    self.scenario = scenario
    self.policies = policies
    self.seed = seed
    self.sharedLimits = sharedLimits
    self.round = round
  }

  /// The measurements of one policy so far.
  private struct Standing {
    var samples = PolicySamples()
    /// The hits of the simulated cache, and of the measured one.
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

  /// - Throws: a simulation's or a coder's error.
  package func run(progress: @Sendable (String) -> Void) async throws -> [ResultRow] {
    var standings = policies.map { _ in Standing() }
    var control = PolicySamples()
    var rounds = 0
    repeat {
      let round = round(rounds)
      rounds += 1
      progress("\(scenario), round \(rounds): what each cache will be given")
      try await play(round, turn: rounds, &standings, &control, progress)
    } while needsMore(standings, events: control.eventCount, rounds: rounds)
    return zip(policies, standings).flatMap { policy, standing in
      hits(of: standing, policy: policy.name)
        + standing.samples.rows(scenario: scenario, policy: policy.name, seed: seed)
    } + control.controlRows(scenario: scenario, seed: seed)
  }

  private func needsMore(_ standings: [Standing], events: Int, rounds: Int) -> Bool {
    let (fewest, most) = (extent.fewest, extent.most)
    guard rounds < most.rounds, events < most.events else { return false }
    guard events > 0 else {
      let reads = standings.map(\.samples.readCount).max() ?? 0
      return reads > 0 && reads < min(1_000, fewest.events)
    }
    return events < fewest.events || standings.contains { $0.samples.toldCount < fewest.told }
  }

  private func play(
    _ round: Round, turn: Int, _ standings: inout [Standing], _ control: inout PolicySamples,
    _ progress: @Sendable (String) -> Void
  ) async throws {
    let workload = round.workload
    let policies = zip(policies, round.compositions).map {
      ReplayedPolicy(name: $0.name, composition: $1, handicap: $0.handicap)
    }
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
    // The first policy again, through the API for apps.
    let app = try cache(0, .apps)
    let silent = try ReplayControl(messages: app.messages, of: values.model, clock: clock)
    let subjects: [(any Subject<Handover> & Sendable, [Int])] =
      caches.map { ($0, $0.entities) } + [(silent, app.entities), (app, app.entities)]
    // A repeated recording has other arrival times.
    let random = RandomSource(seed: seed &+ UInt64(turn - 1))
    let lanes = subjects.enumerated().map { index, subject in
      Lane(
        entities: subject.1, rate: rate,
        random: random.substream("session-arrivals", UInt64(index)), subject: subject.0,
        clock: clock)
    }
    progress("\(scenario), round \(turn): \(app.messages.count) events each")

    var seen = lanes.map { _ in [LaneEvent]() }
    for index in Turns.order(of: lanes.count, inRound: turn) {
      seen[index] = try await lanes[index].run(from: clock.now.advanced(by: .milliseconds(50)))
      var subject = subjects[index].0
      try await subject.close()
    }
    for (index, cache) in caches.enumerated() {
      let played = await cache.result()
      standings[index].samples.add(
        seen[index], reads: played.readTimes, views: played.viewTimes)
      standings[index].simulated.add(reads: calls[index].reads, hits: calls[index].hits)
      standings[index].played.add(reads: played.reads, hits: played.hits)
    }
    control.add(seen[caches.count])
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
  /// An intentional defect.
  package var handicap: Handicap?

  package init(name: String, composition: CachePolicy, handicap: Handicap? = nil) {
    self.name = name
    self.composition = composition
    self.handicap = handicap
  }

  /// A defect that a measurement must detect: otherwise its other figures are invalid.
  package enum Handicap: String, Sendable, CaseIterable {
    /// Each event takes 10 µs longer until its commit.
    case slow
    /// Each entity takes 1,000 bytes more.
    case fat

    package static let slowness = Duration.microseconds(10)
    package static let fatness = 1_000
  }

  /// Returns the same policy with a handicap and a different name, such as `lru+slow`.
  package func with(_ handicap: Handicap) -> ReplayedPolicy {
    var policy = self
    policy.name = "\(name)+\(handicap.rawValue)"
    policy.handicap = handicap
    return policy
  }
}
