import CacheModel
import CacheSimulation
import CacheTestSupport
import EvictionPolicies
import ResultModel
import Testing
import Workloads

@Suite("Random workloads under every preset", .timeLimit(.minutes(30)))
struct RandomWorkloadTests {
  /// Each is generated once, and run by most tests of this room.
  private static let workloads = (0..<4 as Range<UInt64>).map { seed in
    Result { try generate(seed: seed) }
  }

  /// The workload of a seed below 4.
  static func workload(seed: UInt64) throws -> Workload { try workloads[Int(seed)].get() }

  /// A minute and a half on a bad network, in a small library.
  private static func generate(seed: UInt64) throws -> Workload {
    let yaml = """
      name: random
      description: Small, and every fault of a network.
      seed: 1
      duration: 90 s
      drain: 20 s
      data:
        use: files
        entities: {file: {count: 5_000, has: {parent: {tree: {depth: 2, fan-out: 8}}}}}
        operations:
          move: {batch: {mean: 2, beside: parent}}
          tag: {batch: {mean: 2, beside: parent}}
          add-to-album: {batch: {mean: 2, beside: parent}}
      writers:
        - name: laptop
          count: 2
          rate: 2/s
          batches-of: watcher
          mix: {create: 15 %, modify: 30 %, rename: 15 %, move: 10 %, delete: 5 %,
                delete-directory: 1 %, tag: 12 %, add-to-album: 10 %, create-album: 2 %}
      users:
        - name: phone
          watched: [albums.list, tags.list, files.recents]
          think: 1 s
          mix: {browse: 50 %, album: 20 %, tag: 15 %, search: 10 %, recents: 5 %}
          activities:
            browse: [{stroll: {through: files.directory, revisit: 50 %, pin: 20 %}}]
            album: [visit: albums.files, open: 0.3 rows]
            tag: [visit: tags.files, open: 0.3 rows]
            search: [type: files.search, open: 0.3 rows]
            recents: [visit: files.recents, open: 0.3 rows]
      network:
        delay: 60 ms
        jitter: 60 ms
        round-trip: 120 ms
        round-trip-jitter: 100 ms
        bandwidth: 2 MB/s
        loss: 3 %
        reorder: 5 %
        reorder-delay: 150 ms
        duplicate: 2 %
        heartbeat: 2 s
      faults:
        - {kind: partition, at: 30 s, for: 10 s}
        - {kind: errors, at: 44 s, for: 6 s}
        - {kind: server-restart, at: 55 s}
      server:
        replay-events: 100 events
        replay-age: 10 s
        not-modified: yes
      policies: [lru]
      """
    let scenario = try Scenario.parse(
      Array(yaml.utf8), file: "random.yaml", vocabulary: .unchecked, models: .shipped)
    return Workload.generate(scenario, seed: seed)
  }

  @Test("B56 Outcomes sum to reads, nothing diverges, metrics are registered", arguments: 1...3)
  func invariants(seed: UInt64) throws {
    let simulation = try Simulation(of: Self.workload(seed: seed))
    for preset in Preset.all {
      let entities = seed == 1 ? 10_000 : 300
      let composition = preset.composition(
        Preset.Allowance(
          capacity: Capacity(entities: entities), maximumQueries: 40,
          freshness: Freshness(timeToLive: .seconds(30))))
      let rows = try simulation.run(policy: preset.name, composition: composition).rows
      #expect(composition.promisesConvergence)
      expectPromises(of: composition, rows)
      for row in rows {
        #expect(row.metric.statistics.contains(row.statistic), "\(row.metric)")
      }
      #expect((total(.reads, rows) ?? 0) > 10)
      if preset.name == "no-cache" { #expect(total(.hitRatio, rows) == 0) }
      if preset.name == "unbounded" { #expect(total(.evictions, rows) == 0) }
    }
  }

  @Test(
    "B57 A choice on every axis at random keeps its promises",
    arguments: 1...UInt64(Trials.count(12, of: 24)))
  func randomCompositions(seed: UInt64) throws {
    var random = RandomSource(seed: seed).substream("composition")
    let composition = Self.drawnComposition(&random)
    let rows = try Simulation(of: Self.workload(seed: seed % 4))
      .run(policy: "random", composition: composition).rows
    expectPromises(of: composition, rows)
  }

  @Test(
    "B51 Nothing diverges if the process restarts again and again, with a storage that fails at times",
    arguments: 1...UInt64(Trials.count(12, of: 24)))
  func relaunches(seed: UInt64) throws {
    var random = RandomSource(seed: seed).substream("relaunches")
    var composition = Self.drawnComposition(&random)
    composition.storage =
      random.chance(0.8)
      ? DiskStorage(
        maximumBytes: random.chance(0.5) ? nil : 20_000 + random.below(200_000),
        window: .milliseconds(random.below(1_000))) : nil
    var workload = try Self.workload(seed: seed % 4)
    var ends: [Instant] = []
    for _ in 0..<8 { ends.append(Instant(nanoseconds: Int64(random.below(70_000)) * 1_000_000)) }
    workload.clients[0].relaunches = ends.sorted()
    let start = Int64(random.below(60)) * 1_000_000_000
    workload.clients[0].storageFaults = [
      StorageRefusal(
        during: Instant(nanoseconds: start)..<Instant(nanoseconds: start + 8_000_000_000),
        fault: StorageFault.allCases[random.below(StorageFault.allCases.count)])
    ]
    let rows = try Simulation(of: workload).run(policy: "random", composition: composition).rows
    expectPromises(of: composition, rows)
    #expect(total(.relaunches, rows) == 8)
  }

  /// Sums agree, observers are notified of everything, and results marked fresh equal the truth.
  private func expectPromises(of composition: CachePolicy, _ rows: [ResultRow]) {
    expectSums(rows, "\(composition)")
    #expect(total(.notificationsMissed, rows) == 0, "\(composition)")
    guard composition.promisesConvergence else { return }
    #expect(total(.divergentQueries, rows) == 0, "\(composition)")
    #expect(total(.divergentEntities, rows) == 0, "\(composition)")
  }

  private func total(_ metric: Metric, _ rows: [ResultRow]) -> Double? {
    rows.first { $0.class == "total" && $0.metric == metric }?.value?.asDouble
  }

  /// A value of each axis; the limits and times that matter in a minute and a half.
  private static func drawnComposition(_ random: inout RandomSource) -> CachePolicy {
    func one<Value>(of values: [Value]) -> Value { values[random.below(values.count)] }
    var composition = CachePolicy(
      evictionOrder: one(of: EvictionPolicies.forCaches.map(\.name)),
      admission: one(of: AdmissionPolicies.all.map(\.name)), capacity: .unlimited,
      limit: one(of: LimitKind.allCases), retention: .none,
      releaseBuffer: one(of: [
        nil, ReleaseBuffer(queries: 3, age: nil), ReleaseBuffer(queries: nil, age: .seconds(4)),
        ReleaseBuffer(queries: 5, age: .seconds(10)),
      ]), freshness: .neverExpires, maximumQueries: nil)
    for axis in PolicyAxis.all where !axis.drawn.isEmpty {
      axis.write(&composition, one(of: axis.drawn))
    }
    composition.capacity = Capacity(
      entities: one(of: [nil, 40, 400, 4_000]), bytes: one(of: [nil, 300_000]),
      memory: one(of: [nil, nil, 100_000, 500_000, 2_000_000]),
      highWatermark: 0.9, lowWatermark: one(of: [0.9, 0.7]))
    composition.maximumQueries = one(of: [nil, 5, 40])
    composition.retention = one(of: Retention.allCases)
    composition.freshness.timeToLive = one(of: [nil, .zero, .seconds(3), .seconds(20)])
    composition.freshness.start = one(of: Freshness.Start.allCases)
    composition.freshness.staleWhileRevalidate = one(of: [.zero, .seconds(5), .seconds(1_000)])
    composition.freshness.staleIfError = one(of: [.zero, .seconds(5), .seconds(1_000)])
    composition.membership = one(of: Membership.allCases)
    composition.pollInterval = one(of: [nil, nil, .seconds(1), .seconds(10)])
    // Of files that are changed together.
    composition.batchRules[.watcher] = BatchRule(
      admission: one(of: [nil] + EventAdmission.allCases),
      membership: one(of: [nil, nil] + Membership.allCases),
      staleMethods: one(of: [
        [], [], [DataModel.kind(ofShape: 0).method, DataModel.kind(ofShape: 1).method],
      ]))
    return composition
  }

  private func expectSums(_ rows: [ResultRow], _ policy: String) {
    func count(_ metric: Metric, _ name: ResultClass) -> Int {
      rows.first { $0.class == name && $0.metric == metric }?.value.map { Int($0.asDouble) } ?? -1
    }
    let outcomes: [Metric] = [
      .hitFresh, .hitStale, .partial, .missCold, .missExpired, .missEvicted,
      .missInvalidated, .coalesced, .bypass, .failed,
    ]
    for name: ResultClass in ["file", "album-tag", "search", "entity", "total"] {
      let sum = outcomes.reduce(0) { $0 + count($1, name) }
      #expect(sum == count(.reads, name), "\(policy), \(name)")
    }
    let classes = ["file", "album-tag", "search"].reduce(0) { $0 + count(.reads, $1) }
    #expect(classes == count(.reads, "total"), "\(policy)")
    let told = count(.notificationsUseful, "total") + count(.notificationsSpurious, "total")
    #expect(told == count(.notifications, "total"), "\(policy)")
  }

  @Test("The same workload gives the same rows; another seed others")
  func determinism() throws {
    func rows(_ seed: UInt64) throws -> [ResultRow] {
      try Simulation.run(
        workload: Self.workload(seed: seed), policyName: "lru",
        composition: composition(entities: 500))
    }
    let first = try rows(1)
    #expect(try rows(1) == first)
    #expect(try rows(2).map(\.value) != first.map(\.value))
  }
}
