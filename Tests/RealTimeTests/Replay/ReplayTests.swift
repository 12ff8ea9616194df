import CacheModel
import CacheSimulation
import CacheTestSupport
import Foundation
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import RealTime

/// A scenario on the real cache.
@Suite("A scenario in real time", .timeLimit(.minutes(30)))
struct ReplayTests {
  private static func scenario() throws -> Scenario {
    try Scenario.parse(
      Array(
        """
        name: small
        duration: 2 min
        drain: 10 s
        data: {use: files, entities: {file: {count: 5_000, has: {parent: {tree: {depth: 2, fan-out: 8}}}}}}
        writers:
          - {name: laptop, rate: 30/min, mix: {modify: 60 %, create: 40 %}}
        users:
          - name: desktop
            think: 2 s
            mix: {browse: 100 %}
            activities: {browse: [{stroll: {through: files.directory}}]}
        network: {heartbeat: 5 s}
        policies: [lru, ttl, no-cache, unbounded]

        """.utf8), file: "small.yaml", vocabulary: .unchecked, models: .shipped)
  }

  /// An app whose list shows summaries, of which some are opened.
  private static func scenarioOfSummaries() throws -> Scenario {
    try Scenario.parse(
      Array(
        """
        name: small
        duration: 4 min
        drain: 10 s
        data:
          entities:
            issue:
              count: 60 issues
              size: 900 B
              has: {title: text, opened: {time: 60 d}, points: integer}
              summary: {has: title, size: 30 %}
          queries:
            backlog: {list: issue, order: opened descending, page: 20 rows, shows: summary}
            issue:   {list: issue, where: id is subject, order: opened, first: 1 rows}
          operations:
            rename: {set: issue.title, prefer: newest}
            weigh:  {add: issue.points}
        writers:
          - {name: team, count: 2 devices, rate: 20/min, mix: {rename: 50 %, weigh: 50 %}}
        users:
          - name: desk
            think: 1 s
            mix: {look: 100 %}
            activities: {look: [visit: backlog, open: 1 rows, {follow: issue, chance: 50 %}]}
        network: {loss: 20 %, heartbeat: 5 s}
        policies: [lru, refcount, ttl, no-cache, unbounded]

        """.utf8), file: "small.yaml", vocabulary: .unchecked)
  }

  private static func measurement(
    _ names: [String], _ handicaps: [ReplayedPolicy.Handicap] = [], seed: UInt64,
    of scenario: Scenario? = nil
  ) throws -> PolicyMeasurement {
    let scenario = try scenario ?? self.scenario()
    var policies = try names.map {
      ReplayedPolicy(name: $0, composition: try #require(scenario.composition(for: $0)))
    }
    policies += handicaps.map { policies[0].with($0) }
    var measurement = PolicyMeasurement(
      scenario: scenario.name, policies: policies, seed: seed, sharedLimits: .none,
      round: { [compositions = policies.map(\.composition)] round in
        PolicyMeasurement.Round(
          Workload.generate(scenario, seed: seed &+ UInt64(round)), compositions)
      })
    measurement.rate = 5_000
    measurement.extent = .quick
    return measurement
  }

  @Test("The cache that is measured serves exactly the reads that the simulated one serves")
  func hits() async throws {
    let names = ["lru", "refcount", "ttl", "spacedrive", "swr"]
    let rows = try await Self.measurement(names, seed: 3).run { _ in }
    for policy in names {
      let own = rows.filter { $0.policy == policy }
      let simulated = try #require(own.first { $0.metric == .hitRatio })
      let measured = try #require(own.first { $0.metric == .measuredHitRatio })
      #expect(measured.value == simulated.value, "\(policy)")
      #expect(measured.sampleCount == simulated.sampleCount, "\(policy)")
      #expect((simulated.sampleCount ?? 0) > 20, "\(policy)")
      let told = own.first {
        $0.metric == .updateToNotify && $0.class == "single" && $0.statistic == .p50
      }
      #expect((told?.sampleCount ?? 0) > 20 && told?.value != nil, "\(policy)")
    }
    #expect(rows.contains { $0.policy.isEmpty && $0.metric == .controlNotify })
  }

  @Test("The same with lists that show summaries")
  func summaries() async throws {
    let names = ["lru", "refcount", "ttl"]
    let rows = try await Self.measurement(names, seed: 2, of: Self.scenarioOfSummaries())
      .run { _ in }
    for policy in names {
      let own = rows.filter { $0.policy == policy }
      let simulated = try #require(own.first { $0.metric == .hitRatio })
      let measured = try #require(own.first { $0.metric == .measuredHitRatio })
      #expect(measured.value == simulated.value, "\(policy)")
      #expect((simulated.sampleCount ?? 0) > 20, "\(policy)")
    }
  }

  @Test("Rounds are strung together until there are events enough, or reads where there is none")
  func rounds() async throws {
    var scenario = try Self.scenario()
    let one = try await Self.measurement(["lru"], seed: 3, of: scenario).run { _ in }
    func count(_ metric: Metric, _ name: ResultClass, in rows: [ResultRow]) throws -> Int {
      try #require(rows.first { $0.metric == metric && $0.class == name && $0.policy == "lru" })
        .sampleCount ?? 0
    }
    let events = try count(.updateToNotify, "single", in: one)
    #expect(events > 20)
    // The same again and again, as of a recording.
    let workload = Workload.generate(scenario, seed: 3)
    let policy = ReplayedPolicy(
      name: "lru", composition: try #require(scenario.composition(for: "lru")))
    func measured(_ workload: Workload) async throws -> [ResultRow] {
      var measurement = PolicyMeasurement(
        scenario: "small", policies: [policy], seed: 3, sharedLimits: .none,
        round: { _ in PolicyMeasurement.Round(workload, [policy.composition]) })
      measurement.rate = 20_000
      measurement.extent = .tail
      return try await measurement.run { _ in }
    }
    let many = try await measured(workload)
    let all = try count(.updateToNotify, "single", in: many)
    #expect(all % events == 0 && all >= min(1_000, 12 * events))
    for rows in [one, many] {
      #expect(
        rows.first { $0.metric == .measuredHitRatio }?.value
          == rows.first { $0.metric == .hitRatio }?.value)
    }
    scenario.writers = []
    let silent = Workload.generate(scenario, seed: 3)
    let reads = try await measured(silent)
    #expect(try count(.updateToNotify, "single", in: reads) == 0)
    #expect(try count(.readLatency, "hit", in: reads) > 100)
  }

  @Test("Policies with different caches have different results")
  func differ() async throws {
    let rows = try await Self.measurement(["lru", "no-cache"], seed: 1).run { _ in }
    let hits = rows.filter { $0.metric == .measuredHitRatio }.compactMap { $0.value?.asDouble }
    #expect(hits.count == 2 && hits[0] > 0.2 && hits[1] == 0)
  }

  @Test("A cache that is slow on purpose is slow by that, and serves the same")
  func slow() async throws {
    let rows = try await Self.measurement(["lru"], [.slow], seed: 1).run { _ in }
    func row(_ metric: Metric, _ policy: String, _ statistic: Statistic) throws -> Double {
      try #require(
        rows.first {
          $0.metric == metric && $0.policy == policy && $0.statistic == statistic
            && ["all", "single"].contains($0.class)
        }?.value?.asDouble)
    }
    // The handicap is waited for, so this holds on any machine.
    #expect(try row(.eventCost, "lru+slow", .p50) >= 10_000)
    #expect(
      try row(.measuredHitRatio, "lru+slow", .value)
        == row(.measuredHitRatio, "lru", .value))
  }

  @Test("Memory is that of the cache alone, and a larger entity weighs a kilobyte more")
  func memory() throws {
    let scenario = try Self.scenario()
    let memory = PolicyMemory(
      scenario: scenario.name, workload: Workload.generate(scenario, seed: 1), sharedLimits: .none)
    let lean = ReplayedPolicy(
      name: "lru", composition: try #require(scenario.composition(for: "lru")))
    // Counts nothing: the test is about which values the store has, and how many.
    struct NoCounter: AllocationCounter {
      func read() -> AllocationReading {
        AllocationReading(allocated: 0, active: 0, allocations: 0)
      }
    }
    let rows = try memory.rows(of: lean, counter: NoCounter())
    #expect(rows.map(\.metric).count == Set(rows.map(\.metric)).count)
    let residents = try #require(rows.first?.sampleCount)
    #expect(residents > 100)
    // Without a count there is no size per entity, and no error of zero.
    #expect(rows.first { $0.metric == .storeBytesPerEntity }?.value == nil)
    #expect(rows.first { $0.metric == .countErrorShare }?.value == nil)
    let fat = try memory.rows(of: lean.with(.fat), counter: NoCounter())
    #expect(fat.first?.policy == "lru+fat" && fat.first?.sampleCount == residents)
  }

  @Test("Every kind of event is framed, and comes back as it was")
  func frames() throws {
    let workload = Workload.generate(try Self.scenario(), seed: 1)
    let simulation = Simulation(of: workload)
    let composition = try #require(
      Preset.named("lru")?.composition(
        .init(capacity: Capacity(entities: 10), maximumQueries: 10, freshness: .neverExpires)))
    let calls = try simulation.calls(
      ofClient: 0, policy: "lru", composition: composition)
    let library = try ReplayValues(of: workload, needing: [calls])
    let events = calls.all.compactMap { call -> EventEnvelope<Handle>? in
      if case .event(let envelope) = call.kind { envelope } else { nil }
    }
    let changed = try #require(
      events.first { if case .changed = $0.event { true } else { false } })
    guard case .changed(let entity) = changed.event else { return }
    let key = entity.key
    let tag = InvalidationTag(
      library: workload.library, location: key.id, resourceType: key.type)
    let others: [CacheEvent<Handle>] = [
      .batchChanged([entity, entity]), .deleted([key], version: entity.version),
      .bulkNotice(scope: tag, count: 4, token: 9), .infrastructure,
    ]
    let registry = try EventFrame.registry(of: workload.model)
    for event in [changed.event] + others {
      let bytes = try library.message(EventEnvelope(place: changed.place, event: event))
      let decoded = registry.decode(
        try EventFrame.event(in: bytes, decoder: JSONDecoder()))
      #expect(decoded.failures.isEmpty && decoded.unknownTypes.isEmpty)
      guard case .event(let envelope)? = decoded.message else {
        Issue.record("no event")
        continue
      }
      #expect(envelope.place == changed.place)
      #expect(Self.text(envelope.event) { $0.payload.handle } == Self.text(event) { $0.payload })
    }
    // As large as the scenario says, within the frame.
    let bytes = try library.message(changed)
    let size = Int(workload.catalog.revisions[Int(entity.payload.revision)].bytes)
    #expect((size..<size + 300).contains(bytes.count))
  }

  private static func text<Payload: Sendable>(
    _ event: CacheEvent<Payload>, _ handle: (VersionedEntity<Payload>) -> Handle
  ) -> String {
    func text(_ entity: VersionedEntity<Payload>) -> String {
      "\(entity.key) \(entity.version) \(handle(entity))"
    }
    return switch event {
    case .changed(let entity): "changed \(text(entity))"
    case .batchChanged(let entities): "batch \(entities.map(text))"
    case .partlyDecoded(let entities, let others): "partly \(entities.map(text)) \(others)"
    case .deleted(let keys, let version): "deleted \(keys) \(version)"
    case .bulkNotice(let scope, let count, let token): "notice \(scope) \(count) \(token)"
    case .infrastructure: "infrastructure"
    }
  }
}
