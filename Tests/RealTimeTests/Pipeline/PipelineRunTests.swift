import CacheModel
import ResultModel
import Testing

@testable import RealTime

@Suite("Pipeline runs, small ones", .timeLimit(.minutes(30)), .serialized)
struct PipelineRunTests {
  private func plan(
    _ transport: PipelinePlan.Transport = .unix, preset: String = "spacedrive", devices: Int = 3,
    mutations: Int = 120, batch: Int = 1
  ) throws -> PipelinePlan {
    var plan = try #require(
      PipelinePlan.standard(
        transport: transport, preset: preset, devices: devices, rate: 400, seed: 1))
    plan.devices = DevicePlan(
      library: FileLibrary(directories: 4, filesPerDirectory: 15, seed: 1), seed: 1,
      devices: devices, mutations: mutations, rate: 400, filesPerMutation: batch)
    plan.warmUp = 10
    plan.framesPerSecond = 120
    // Other tests run at the same time and hold its threads for many seconds.
    plan.limits.silenceSeconds = 600
    return plan
  }

  private func run(_ plan: PipelinePlan, _ peers: LocalPeers) async throws -> PipelineResult {
    var run = PipelineRun(plan: plan, peers: peers)
    run.patience = .seconds(600)
    return try await run.run()
  }

  @Test(
    "Every event is drawn, the stages of each add up, and the rows say so",
    arguments: PipelinePlan.Transport.allCases, [1, 20])
  func runs(transport: PipelinePlan.Transport, batch: Int) async throws {
    let plan = try plan(transport, batch: batch)
    let peers = try LocalPeers(plan: plan)
    let result = try await run(plan, peers)
    #expect(result.stamps.count == 110)
    for stamps in result.stamps {
      #expect(PipelineStage.allCases.map(stamps.nanoseconds(of:)).reduce(0, +) == stamps.total)
      #expect(stamps.areMonotone)
    }
    #expect(result.controlUpdateToNotify.count == 110)
    #expect(result.boundary.count == 110)
    #expect(!peers.leavesFolder)

    let rows = result.rows
    for row in rows {
      let metric = row.metric
      #expect(metric.statistics.contains(row.statistic))
    }
    #expect(Set(rows.map(\.identity)).count == rows.count)
    let name = ResultClass(transport.rawValue + (batch == 1 ? "" : "-batch-20"))
    func mean(_ metric: Metric) throws -> Double {
      let row = try #require(
        rows.first { $0.metric == metric && $0.class == name && $0.statistic == .mean })
      return try #require(row.value).asDouble
    }
    let sum = try PipelineStage.allCases.map { try mean($0.metric) }.reduce(0, +)
    #expect(abs(sum - (try mean(.serverToUI))) < 1)
  }

  @Test(
    "Other presets end with the server's content too", arguments: ["lru", "relay", "unbounded"])
  func presets(preset: String) async throws {
    let plan = try plan(preset: preset, mutations: 60)
    let result = try await run(plan, try LocalPeers(plan: plan))
    #expect(result.stamps.count == 50)
  }

  @Test("A composition that keeps nothing is refused by name, not reported as fast")
  func noCache() async throws {
    let plan = try plan(preset: "no-cache", mutations: 20)
    let peers = try LocalPeers(plan: plan)
    await #expect(throws: PipelineError.keepsNothing) {
      try await run(plan, peers)
    }
    #expect(!peers.leavesFolder)
  }

  @Test(
    "Every change notifies at least one of any number of observers; few observers are few listings",
    arguments: [1, 3, 4, 50])
  func observers(count: Int) async throws {
    var plan = try plan(mutations: 60)
    plan.setObservers(count)
    #expect(plan.observedDirectories == min(count, 4))
    #expect(plan.devices.changedFiles == min(count, 4) * 15)
    #expect((0..<4).map(plan.observers(ofDirectory:)).reduce(0, +) == count)
    #expect(plan.className == ResultClass("unix-observers-\(count)"))
    // That no notification is missing is checked by the run itself.
    let result = try await run(plan, try LocalPeers(plan: plan))
    #expect(result.stamps.count == 50)
  }

  @Test("Two readers read during the events: of the cache, and of one that receives no events")
  func reads() async throws {
    var plan = try plan(batch: 60)
    plan.readsPerSecond = 400
    let result = try await run(plan, try LocalPeers(plan: plan))
    let reads = try #require(result.reads)
    #expect(!reads.ofCache.isEmpty && reads.ofCache.allSatisfy { $0 > 0 })
    #expect(!reads.ofControl.isEmpty && reads.ofControl.allSatisfy { $0 > 0 })
    let rows = result.rows
    #expect(Set(rows.map(\.identity)).count == rows.count)
    for metric in [Metric.readLatency, .controlReadLatency] {
      #expect(rows.contains { $0.metric == metric && $0.class == "unix-batch-60-reads-400" })
    }
  }

  @Test("A server that goes away ends the run, which leaves nothing behind")
  func lostServer() async throws {
    let plan = try plan(mutations: 400)
    let peers = try LocalPeers(plan: plan)
    let work = Task { try await run(plan, peers) }
    try await peers.begun()
    await peers.stopServer()
    await #expect(throws: (any Error).self) { try await work.value }
    #expect(!peers.leavesFolder)
  }

  @Test("A run that is cancelled stops its peers")
  func cancelled() async throws {
    var plan = try plan()
    // Hours, unless cancelled.
    plan.devices = DevicePlan(
      library: plan.devices.library, seed: 1, devices: 3, mutations: 4_000, rate: 1,
      filesPerMutation: 1)
    let peers = try LocalPeers(plan: plan)
    let work = Task { [plan] in try await run(plan, peers) }
    try await peers.begun()
    work.cancel()
    await #expect(throws: (any Error).self) { try await work.value }
    #expect(!peers.leavesFolder)
  }

  @Test("Only presets have a plan, and a full one has the samples that p99.9 needs")
  func plans() throws {
    func standard(_ name: String, rate: Double = 1_000, isQuick: Bool = false) -> PipelinePlan? {
      .standard(transport: .unix, preset: name, devices: 2, rate: rate, seed: 1, isQuick: isQuick)
    }
    #expect(standard("fastest") == nil)
    let plan = try #require(standard("spacedrive"))
    #expect(
      plan.devices.mutations - plan.warmUp >= Statistic.p999.fewestSamples)
    let hectic = try #require(standard("spacedrive", rate: 100_000))
    #expect(hectic.devices.mutations == PipelinePlan.largestScript)
    let slow = try #require(standard("spacedrive", rate: 1, isQuick: true))
    #expect(slow.devices.mutations == 22 && slow.warmUp == 1)
  }
}

@Suite("Stamps from a device to the screen")
struct PipelineStampsTests {
  private func stamps(_ instants: [Int64]) -> PipelineStamps {
    let at = instants.map { Instant(nanoseconds: $0) }
    return PipelineStamps(
      client: EventStamps(
        intended: at[0], received: at[3], started: at[4], decoded: at[5], committed: at[6],
        notified: at[7]),
      sent: at[1], published: at[2], frameBegan: at[8], drawn: at[9])
  }

  @Test("Every stage is the time between its two stamps")
  func stages() {
    let event = stamps([0, 1, 3, 7, 15, 31, 63, 127, 255, 511])
    #expect(
      PipelineStage.allCases.map(event.nanoseconds(of:)) == [1, 2, 4, 8, 16, 32, 64, 128, 256])
    #expect(event.client.nanoseconds(of: .updateToNotify) == 120)
    #expect(event.client.nanoseconds(of: .serviceTime) == 112)
    #expect(event.client.nanoseconds(of: .responseTime) == 127)
    #expect(event.total == 511)
  }

  @Test("The stages add up to the total", arguments: 0..<20 as Range<UInt64>)
  func sum(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let event = stamps((0..<10).map { _ in Int64(random.below(1 << 40)) }.sorted())
    #expect(event.areMonotone)
    #expect(PipelineStage.allCases.map(event.nanoseconds(of:)).reduce(0, +) == event.total)
  }

  @Test("Stamps out of order are noticed, wherever they are", arguments: 0..<9)
  func order(place: Int) {
    var instants: [Int64] = Array(0..<10)
    instants.swapAt(place, place + 1)
    #expect(!stamps(instants).areMonotone)
  }
}
