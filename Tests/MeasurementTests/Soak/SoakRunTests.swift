import CacheModel
import Metrics
import NormalizedCache
import Testing

@testable import Measurement

@Suite("A soak")
struct SoakRunTests {
  @Test("A short one over a bad network ends as the server is, and every row has its metric")
  func short() async throws {
    var plan = try #require(
      SoakPlan.standard(preset: "spacedrive", seed: 3, duration: .seconds(2), rate: 500))
    plan.library = FileLibrary(directories: 5, filesPerDirectory: 20, seed: 3)
    (plan.faults.outageEvery, plan.faults.outage) = (500_000_000, 200_000_000)
    let result = try await SoakRun(plan: plan).run()
    #expect(result.divergent == 0)
    #expect(result.missed == 0)
    #expect(result.faults.isEmpty)
    // It was a bad network, and the cache had work to do.
    #expect(result.link.lost > 0)
    #expect(result.statistics.reconciles > 0)
    for row in result.rows {
      #expect(MetricRegistry.named(row.metric) != nil, "\(row.metric)")
    }
  }

  @Test("What differs, what was not told and memory that grows are faults")
  func faults() throws {
    let plan = try #require(
      SoakPlan.standard(preset: "lru", seed: 1, duration: .seconds(1), rate: 1))
    var result = SoakResult(plan: plan, saturation: 2)
    (result.divergent, result.missed) = (1, 2)
    #expect(result.memoryGrows == nil)
    #expect(result.faults.count == 2)
    result.memory = (0..<400).map { (Double($0), 1e8 + Double($0) * 1e5 + Double($0 % 7) * 1e4) }
    #expect(result.memoryGrows == true)
    #expect(result.faults.count == 3)
    result.memory = (0..<400).map { (Double($0), 1e8 + Double($0 % 7) * 1e5) }
    #expect(result.memoryGrows == false)
  }

  @Test("A line through points on a line is that line, and noise widens its interval")
  func trend() throws {
    let exact = try #require(LinearTrend((0..<9).map { (Double($0), 3 + 2 * Double($0)) }, lag: 2))
    #expect(abs(exact.slope - 2) < 1e-12)
    #expect(exact.standardError < 1e-9)
    var random = RandomSource(seed: 5)
    let noisy = try #require(
      LinearTrend((0..<200).map { (Double($0), 2 * Double($0) + random.unit()) }, lag: 5))
    #expect(noisy.interval.contains(2))
    #expect(noisy.standardError > 0)
    #expect(LinearTrend([(1, 1), (1, 2), (1, 3)], lag: 1) == nil)
    #expect(LinearTrend([(1, 1), (2, 2)], lag: 1) == nil)
  }
}
