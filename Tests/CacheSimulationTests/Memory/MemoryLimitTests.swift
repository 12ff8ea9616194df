import CacheModel
import CacheTestSupport
import Foundation
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("A limit on memory, in the shapes of the committed scenarios", .timeLimit(.minutes(30)))
struct MemoryLimitTests {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Scenarios")

  static let scenarios: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".yaml") }
    .sorted()

  /// A few minutes of a scenario.
  private func workload(_ name: String) throws -> Workload {
    let bytes = try [UInt8](Data(contentsOf: Self.folder.appending(path: name)))
    var scenario = try Scenario.parse(
      bytes, file: name, vocabulary: .unchecked, models: .shipped)
    scenario.duration = min(scenario.duration, scenario.drain + .seconds(240))
    scenario.faults = []
    // A few minutes of the user's, not of the day.
    for index in scenario.users.indices { scenario.users[index].visits = nil }
    return Workload.generate(scenario, seed: nil)
  }

  /// Every preset at every size is among them once, dealt to the scenarios in turn.
  private static let contenders: [(preset: String, megabytes: Int)] =
    [1, 5, 20].flatMap { size in Preset.all.map { ($0.name + Preset.limitSuffix, size) } }

  @Test(
    "B10 The predicted memory stays within the limit after every step, and is reported",
    arguments: scenarios)
  func everyStep(name: String) throws {
    let simulation = try Simulation(of: workload(name))
    let turn = try #require(Self.scenarios.firstIndex(of: name))
    for (index, contender) in Self.contenders.enumerated()
    where index % Self.scenarios.count == turn {
      let limit = contender.megabytes << 20
      let allowance = Preset.Allowance(
        capacity: Capacity(
          entities: nil, memory: limit, highWatermark: 0.9, lowWatermark: 0.9),
        maximumQueries: nil, freshness: Freshness(timeToLive: .seconds(60)))
      var composition = try #require(Preset.named(contender.preset)).composition(allowance)
      // It knows no future here.
      if composition.evictionOrder == "clairvoyant" { composition.evictionOrder = "sieve" }
      try drive(simulation, composition, contender.preset, limit: limit)
    }
  }

  private func drive(
    _ simulation: Simulation, _ composition: CachePolicy, _ preset: String, limit: Int
  ) throws {
    var run = try ClientSimulation(
      simulation, client: 0, policy: preset, composition: composition)
    var peak = 0
    let end = run.end
    while let next = run.nextInstant(), next <= end {
      try run.takeStep(at: next)
      let predicted = run.store.predictedBytes
      peak = max(peak, predicted)
      if run.step % 16 == 0 {
        let reported = simulation.memory.bytes(of: run.store, weight: run.store.residentWeight)
        #expect(predicted == reported, "\(preset), step \(run.step)")
      }
    }
    #expect(peak <= limit, "\(preset): \(peak) of \(limit)")
    let share = run.store.overLimit ?? 0
    #expect(share <= 1, "\(preset)")
    #expect(share >= Double(peak) / Double(limit), "no peak was overlooked")
    // So little is short in every scenario, but for who keeps nothing, and where a few minutes bring few
    // and small entities.
    let isSmall = [
      "notes-week", "chat", "issue-tracker", "notes-on-a-phone", "link-shortener",
      "magazine-reader",
    ].contains(simulation.workload.name)
    if limit == 1 << 20, composition.capacity.entities == nil, !isSmall {
      #expect(share > 0.8, "\(preset): \(share)")
    }
  }

  @Test("The report has the peak of the prediction, and the largest share of any limit")
  func reported() throws {
    var tiny = TinyWorkload()
    for name in 0..<300 as Range<UInt64> { _ = tiny.file(name: name) }
    tiny.queries = [QuerySpec(kind: .directory, subject: 0, limit: 1_000)]
    tiny.act(.observe(query: 0), at: 1)
    func rows(_ capacity: Capacity, _ limit: LimitKind) throws -> RunValues {
      var composition = composition(retention: .observed)
      composition.capacity = capacity
      composition.limit = limit
      return try values(of: tiny.workload, composition)
    }
    let unlimited = try rows(.unlimited, .soft)
    #expect(unlimited[.overLimit, .peak] == 0)
    #expect(try rows(Capacity(entities: 200), .soft)[.overLimit, .peak] == 1.5)
    #expect(try rows(Capacity(entities: 200), .hard)[.overLimit, .peak] == 1)
    let memory = 300_000
    let soft = try rows(Capacity(entities: nil, memory: memory), .soft)
    let hard = try rows(Capacity(entities: nil, memory: memory), .hard)
    #expect(soft[.predictedBytes, .peak] == unlimited[.predictedBytes, .peak])
    for values in [soft, hard] {
      let predicted = try #require(values[.predictedBytes, .peak])
      #expect(values[.overLimit, .peak] == predicted / Double(memory))
    }
    #expect((hard[.overLimit, .peak] ?? 2) <= 1)
    #expect((soft[.overLimit, .peak] ?? 0) > 1)
  }

  @Test("A policy without a limit is judged by the comparison's limits, another by its own")
  func shared() throws {
    var tiny = TinyWorkload()
    for name in 0..<300 as Range<UInt64> { _ = tiny.file(name: name) }
    tiny.queries = [QuerySpec(kind: .directory, subject: 0, limit: 1_000)]
    tiny.act(.observe(query: 0), at: 1)
    let workload = tiny.workload
    func share(_ shared: SharedLimits, own: Capacity = .unlimited) throws -> Double {
      var composition = composition(retention: .observed)
      composition.capacity = own
      composition.limit = .soft
      let result = try Simulation(of: workload, sharedLimits: shared).run(
        policy: "test", composition: composition)
      return try #require(
        result.rows.first { $0.metric == .overLimit }?.value?.asDouble)
    }
    let narrow = SharedLimits(capacity: Capacity(entities: 100), maximumQueries: nil)
    #expect(try share(narrow) == 3)
    #expect(try share(narrow, own: Capacity(entities: 600)) == 0.5)
    #expect(
      try share(SharedLimits(capacity: Capacity(entities: nil, memory: 1_000), maximumQueries: 9))
        > 100)
  }
}
