import ResultModel
import Testing

@testable import RealTime

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
