import Metrics
import Testing

@testable import Measurement

@Suite("Update cost")
struct UpdateCostTests {
  @Test("The ratio is of medians, and empty where one has none")
  func ratio() {
    #expect(UpdateCostRun.ratio(ofMedians: [4, 6, 900], [2, 3, 4]) == 2)
    #expect(UpdateCostRun.ratio(ofMedians: [], [1]) == nil)
    #expect(UpdateCostRun.ratio(ofMedians: [1], []) == nil)
    #expect(UpdateCostRun.ratio(ofMedians: [1], [0]) == nil)
  }

  @Test("A small run has one row with every sample behind it")
  func run() throws {
    var run = UpdateCostRun(seed: 1)
    run.fewQueries = 5
    run.manyQueries = 50
    run.blockLength = 4
    run.blocks = 6
    let rows = try run.run(scenario: "update-to-notify")
    #expect(rows.map(\.metric) == ["update_cost_ratio"])
    #expect(rows.map(\.sampleCount) == [24])
    #expect(rows.allSatisfy { ($0.value?.asDouble ?? 0) > 0 })
  }
}
