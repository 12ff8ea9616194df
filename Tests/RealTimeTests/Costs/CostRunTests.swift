import ResultModel
import Testing

@testable import RealTime

@Suite("Costs with little and much in the cache")
struct CostRunTests {
  @Test("The ratio is of medians, and empty where one has none")
  func ratio() {
    #expect(SampleSummary.ratio(ofMedians: [4, 6, 900], [2, 3, 4]) == 2)
    #expect(SampleSummary.ratio(ofMedians: [], [1]) == nil)
    #expect(SampleSummary.ratio(ofMedians: [1], []) == nil)
    #expect(SampleSummary.ratio(ofMedians: [1], [0]) == nil)
  }

  @Test("A small run has one row for each kind of company, with every sample behind it")
  func run() async throws {
    var run = CostRun(seed: 1)
    run.queries = (few: 5, many: 50)
    run.entities = (few: 100, many: 300)
    run.observers = (few: 1, many: 9)
    run.blockLength = 4
    run.blocks = 6
    run.retained = 1_000
    run.insertions = 30
    run.repetitions = 2
    let rows = try await run.run(scenario: "update-cost")
    #expect(
      rows.map(\.metric) == [
        .updateCostRatio, .updateCostRatio, .updateCostRatio, .insertionStallRatio,
        .insertionStallRatio,
      ])
    #expect(rows.map(\.class) == ["queries", "entities", "observers", "unlisted", "listed"])
    #expect(rows.map(\.sampleCount) == [24, 24, 24, 30, 30])
    #expect(rows.allSatisfy { ($0.value?.asDouble ?? 0) > 0 })
  }
}

@Suite("What an event costs", .timeLimit(.minutes(30)))
struct EventCostRunTests {
  @Test("A small run has a distribution for each subject and pace, of all its samples")
  func run() async throws {
    var run = EventCostRun(
      seed: 1,
      workload: AlternativeWorkload(
        name: "single", directories: 3, filesPerDirectory: 5, observed: 3, filesPerEvent: 1))
    (run.warmUp, run.blocks, run.blockLength) = (1, 5, 4)
    (run.paced, run.rate) = (20, 20_000)
    let rows = try await run.run(scenario: "event-cost")
    let medians = rows.filter { $0.statistic == .p50 }
    #expect(
      medians.map { "\($0.metric) \($0.class)" } == [
        "event_cost single", "event_cost single/hot",
        "control_event_cost single", "control_event_cost single/hot",
      ])
    #expect(medians.allSatisfy { ($0.value?.asDouble ?? 0) > 0 && $0.sampleCount == 20 })
    #expect(rows.allSatisfy { $0.metric.statistics.contains($0.statistic) })
  }
}
