import ResultModel
import Testing

@testable import RealTime

@Suite("Statistics of times")
struct DistributionTests {
  @Test(
    "A quantile is stated from ten times the samples on that make its tail one",
    arguments: [
      (Statistic.p50, 20), (.p90, 100), (.p95, 200), (.p99, 1_000), (.p999, 10_000), (.max, 1),
      (.mean, 1),
    ])
  func gate(statistic: Statistic, needed: Int) {
    #expect(statistic.fewestSamples == needed)
    let samples = (0..<needed).map { Int64($0) }
    #expect(SampleSummary(Array(samples.dropLast())).value(of: statistic) == nil)
    #expect(SampleSummary(samples).value(of: statistic) != nil)
    #expect(SampleSummary([]).value(of: statistic) == nil)
  }

  @Test("The largest and the mean are exact, however far apart the samples are")
  func exact() {
    let samples: [Int64] = [1, 1_234_567_891, 3_600_000_000_000]
    #expect(SampleSummary(samples).value(of: .max) == .integer(3_600_000_000_000))
    #expect(SampleSummary(samples).value(of: .mean) == .real(3_601_234_567_892 / 3))
  }
}
