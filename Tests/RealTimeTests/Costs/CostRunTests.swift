import ResultModel
import Testing

@testable import RealTime

@Suite("Costs beside little and beside much")
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

@Suite("What an event costs")
struct EventCostRunTests {
  @Test("A small run has a distribution for each subject and pace, of all its samples")
  func run() async throws {
    var run = EventCostRun(
      seed: 1, library: FileLibrary(directories: 3, filesPerDirectory: 5, seed: 1))
    run.single = .init(
      eventClass: .single, warmUp: 1, blocks: 5, blockLength: 4, paced: 20, rate: 20_000)
    run.batch = .init(
      eventClass: .batch1000, warmUp: 1, blocks: 2, blockLength: 1, paced: 1, rate: 20_000)
    let rows = try await run.run(scenario: "event-cost")
    let medians = rows.filter { $0.statistic == .p50 }
    #expect(
      medians.map { "\($0.metric) \($0.class)" } == [
        "event_cost single", "event_cost single/hot",
        "event_cost single/store", "event_cost single/store/hot",
        "control_event_cost single", "control_event_cost single/hot",
        "event_cost batch-1000", "event_cost batch-1000/hot",
        "event_cost batch-1000/store", "event_cost batch-1000/store/hot",
        "control_event_cost batch-1000", "control_event_cost batch-1000/hot",
      ])
    #expect(medians.prefix(6).allSatisfy { ($0.value?.asDouble ?? 0) > 0 && $0.sampleCount == 20 })
    // Too few batches to state a quantile.
    #expect(medians.suffix(6).allSatisfy { $0.value == nil })
    for row in rows {
      #expect(row.metric.statistics.contains(row.statistic))
    }
  }
}

@Suite("Cost of a user's changes, small runs", .timeLimit(.minutes(30)))
struct WriteCostRunTests {
  @Test("Every kind of change has a figure beside every length of the queue, and its growth")
  func rows() async throws {
    var run = WriteCostRun(seed: 1)
    run.rounds = 2
    run.samplesPerRound = 3
    let rows = try await run.run(scenario: "write-cost")
    func row(_ metric: Metric, _ name: ResultClass, _ statistic: Statistic = .max) throws
      -> ResultRow
    {
      try #require(
        rows.first {
          $0.metric == metric && $0.class == name && $0.statistic == statistic
        }, "\(metric) \(name)")
    }
    for length in WriteCostRun.queueLengths {
      // Of a queue the last tenth of the way, and each change was seen by an observer.
      #expect(
        try row(.writeToShown, ResultClass("enqueue", size: length)).sampleCount == 2
          * max(length / 10, 1))
      #expect(try row(.writeToShown, ResultClass("mutate", size: length)).sampleCount == 2 * 3 * 2)
      for answer in ["confirmed", "refused"] {
        #expect(try row(.writeToSettled, ResultClass(answer, size: length)).sampleCount == 2 * 3)
        // What is settled was shown before.
        #expect(
          try (row(.writeToSettled, ResultClass(answer, size: length)).value?.asDouble ?? 0) > 0)
      }
    }
    #expect(try row(.writeToSettled, "offline/1000").sampleCount == 2)
    #expect(try row(.writeGrowthRatio, "enqueue", .value).sampleCount == 200)
    for row in rows {
      #expect(row.metric.statistics.contains(row.statistic), "\(row.identity)")
    }
    #expect(Set(rows.map(\.identity)).count == rows.count)
  }
}
