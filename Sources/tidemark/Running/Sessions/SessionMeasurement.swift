import Analysis
import CacheModel
import CacheSimulation
import EvictionPolicies
import Foundation
import Measurement
import Metrics
import NormalizedCache
import Workloads

/// The policies of a scenario on its own workload, in real time: one cache for each, and a control.
///
/// Each is played what the simulated cache of the same policy was given: events at Poisson instants,
/// and between two events the reads and answers that were drawn there. Seeds are strung together until
/// there are single events enough for p99.9.
struct SessionMeasurement: Sendable {
  let session: Session
  let contestants: [Contestant]
  let seed: UInt64
  /// Single events per second to each cache.
  var rate = 1_000.0
  /// One seed, however few its events are.
  var isQuick = false

  /// What p99.9 of events takes, and p99 of those that concern an observer.
  private static let (fewestEvents, fewestTold) = (10_000, 1_000)
  /// However few of them concern one, and however few a seed has.
  private static let (mostEvents, mostSeeds) = (40_000, 60)

  /// What has been seen of one policy.
  private struct Standing {
    var samples = SessionSamples()
    /// By the simulator, and by the cache that was measured.
    var simulated = Hits()
    var played = Hits()
  }

  struct Hits: Sendable {
    var reads = 0
    var hits = 0

    var ratio: Double? { reads == 0 ? nil : Double(hits) / Double(reads) }
  }

  /// - Throws: what a simulation throws, or a coder.
  func run(progress: Progress) async throws -> [ResultRow] {
    var standings = contestants.map { _ in Standing() }
    var control = SessionSamples()
    var seeds = 0
    repeat {
      let workload = session.workload(seed: seed &+ UInt64(seeds))
      seeds += 1
      progress.report("\(session.name), seed \(workload.seed): what each cache will be given")
      try await play(workload, &standings, &control, progress)
    } while !isQuick && session.isDrawn && seeds < Self.mostSeeds
      && control.eventCount < Self.mostEvents
      && (control.eventCount < Self.fewestEvents
        || standings.contains { $0.samples.toldCount < Self.fewestTold })
    let name = session.name
    return zip(contestants, standings).flatMap { contestant, standing in
      rows(of: standing, policy: contestant.name)
        + standing.samples.rows(scenario: name, policy: contestant.name, seed: seed)
    } + control.controlRows(scenario: name, seed: seed)
  }

  private func play(
    _ workload: Workload, _ standings: inout [Standing], _ control: inout SessionSamples,
    _ progress: Progress
  ) async throws {
    let simulation = Simulation(of: workload, sharedLimits: session.sharedLimits)
    let sessions = try contestants.map {
      try simulation.session(ofClient: 0, policy: $0.name, composition: $0.composition)
    }
    let library = try SessionLibrary(of: workload, needing: sessions)
    let clock = ContinuousCacheClock()
    let caches = try zip(contestants, sessions).map { contestant, session in
      try SessionCache(
        session: session, path: .actor, values: library, schema: simulation.schema,
        composition: contestant.composition, library: workload.library, clock: clock)
    }
    let random = RandomSource(seed: workload.seed)
    func lane(_ index: UInt64, _ messages: [Data], _ subject: any SessionSubject) -> SessionLane {
      SessionLane(
        messages: messages, rate: rate, random: random.substream("session-arrivals", index),
        subject: subject, clock: clock)
    }
    // The first policy's once more, as an app reaches it.
    let app = try SessionCache(
      session: sessions[0], path: .apps, values: library, schema: simulation.schema,
      composition: contestants[0].composition, library: workload.library, clock: clock)
    var lanes: [SessionLane] = []
    for (index, cache) in caches.enumerated() {
      lanes.append(lane(UInt64(index), try cache.messages(), cache))
    }
    let messages = lanes.first?.messages ?? []
    lanes.append(lane(UInt64(caches.count), messages, try SessionControl(clock: clock)))
    lanes.append(lane(UInt64(caches.count + 1), messages, app))
    progress.report("\(session.name), seed \(workload.seed): \(messages.count) events each")

    let start = clock.now.advanced(by: .milliseconds(50))
    let seen = try await withThrowingTaskGroup(of: (Int, [SessionEvent]).self) { group in
      for (index, lane) in lanes.enumerated() {
        group.addTask { (index, try await lane.run(from: start)) }
      }
      var seen = lanes.map { _ in [SessionEvent]() }
      for try await (index, events) in group { seen[index] = events }
      return seen
    }
    for (index, cache) in caches.enumerated() {
      let played = await cache.result()
      standings[index].samples.add(seen[index], reads: played.readTimes)
      standings[index].simulated.reads += sessions[index].reads
      standings[index].simulated.hits += sessions[index].hits
      standings[index].played.reads += played.reads
      standings[index].played.hits += played.hits
    }
    control.add(seen[caches.count], reads: [])
    standings[0].samples.add(throughApps: seen[caches.count + 1])
    _ = await app.result()
  }

  private func rows(of standing: Standing, policy: String) -> [ResultRow] {
    func row(_ metric: String, _ hits: Hits) -> ResultRow {
      ResultRow(
        scenario: session.name, policy: policy, seed: seed, class: "all", metric: metric,
        value: hits.ratio.map { .real($0) }, sampleCount: hits.reads)
    }
    return [row("hit_ratio", standing.simulated), row("measured_hit_ratio", standing.played)]
  }
}

extension SessionMeasurement {
  /// The policies of a scenario, in time and in memory.
  ///
  /// - Throws: ``CommandFailure`` where the scenario or a policy is not known, or a policy looks ahead.
  static func rows(
    scenario: String, policies: [String], seed: UInt64, rate: Double?, isQuick: Bool,
    progress: Progress
  ) async throws -> (rows: [ResultRow], targets: [Analysis.Target]) {
    let file = try ScenarioFile.load(scenario)
    let contestants = try file.contestants(policies).filter {
      !policies.isEmpty || !$0.looksAhead
    }
    if let seer = contestants.first(where: \.looksAhead) {
      throw CommandFailure(
        .input, "policy \"\(seer.name)\" knows the future, which no cache in real time does")
    }
    var measurement = SessionMeasurement(
      session: Session(file), contestants: contestants, seed: seed)
    measurement.rate = rate ?? measurement.rate
    measurement.isQuick = isQuick
    let latency = try await measurement.run(progress: progress)
    progress.report("\(file.scenario.name): memory")
    let memory = try await memory(of: contestants.map(\.name), file, seed: seed, progress)
    // The figures of a policy stand together.
    let rows =
      contestants.flatMap { contestant in
        (latency + memory).filter { $0.policy == contestant.name }
      } + latency.filter { $0.policy.isEmpty }
    let played = contestants.map(\.name).filter { isPlayed($0, rows) }
    for name in contestants.map(\.name) where !played.contains(name) {
      progress.end()
      Console.note(
        "warning: \(name) served other reads in real time than in the simulation, so its figures are no "
          + "verdict")
    }
    return (rows, MachineTargets.sessions(scenario: file.scenario.name, policies: played))
  }

  /// Whether the cache that was measured did what the simulated one does, to a point of hits.
  private static func isPlayed(_ policy: String, _ rows: [ResultRow]) -> Bool {
    func hits(_ metric: String) -> Double? {
      rows.first { $0.policy == policy && $0.metric == metric }?.value?.asDouble
    }
    guard let simulated = hits("hit_ratio"), let measured = hits("measured_hit_ratio") else {
      return false
    }
    return abs(simulated - measured) <= 0.01
  }

  private static func memory(
    of policies: [String], _ file: ScenarioFile, seed: UInt64, _ progress: Progress
  ) async throws -> [ResultRow] {
    do {
      return try await TerminationSignals.cancelling {
        try await MemoryRun(deadline: .seconds(600))
          .rows(["policies", file.path] + policies, seed: seed)
      }
    } catch let error as MemoryRunError {
      progress.end()
      Console.note("warning: memory is not measured: \(error)")
      return []
    }
  }
}

extension Contestant {
  /// Whether its order is told what will be read.
  fileprivate var looksAhead: Bool {
    EvictionPolicies.named(composition.evictionOrder)?.needsFuture == true
  }
}
