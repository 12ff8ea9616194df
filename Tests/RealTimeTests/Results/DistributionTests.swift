import ResultModel
import Testing

@testable import RealTime

@Suite("Distributions")
struct DistributionTests {
  @Test(
    "A quantile is stated from ten times the samples on that make its tail one",
    arguments: [
      (Statistic.p50, 20), (.p90, 100), (.p95, 200), (.p99, 1_000), (.p999, 10_000), (.max, 1),
      (.mean, 1),
    ])
  func gate(statistic: Statistic, needed: Int) {
    #expect(statistic.fewestSamples == needed)
    var distribution = Distribution((0..<needed - 1).map { Int64($0) })
    #expect(distribution.value(of: statistic) == nil)
    distribution.record(5)
    #expect(distribution.value(of: statistic) != nil)
    #expect(distribution.count == needed)
  }

  @Test("Quantiles are those of the samples, to three digits", arguments: [1, 1_000, 1_000_000])
  func accuracy(unit: Int64) throws {
    let samples = (1...20_000).map { Int64($0) * unit }
    let distribution = Distribution(samples.reversed())
    let exact = SampleSummary(samples)
    for statistic in [Statistic.p50, .p90, .p95, .p99, .p999] {
      let value = try #require(distribution.value(of: statistic)).asDouble
      let truth = Double(try #require(exact.quantile(statistic)))
      #expect(abs(value - truth) <= truth * 0.001, "\(statistic): \(value), not \(truth)")
    }
    #expect(distribution.value(of: .max) == .integer(20_000 * unit))
    #expect(distribution.value(of: .mean) == .real(10_000.5 * Double(unit)))
  }

  @Test("The maximum is exact where a bucket is wide, and beyond the histogram's range")
  func maximum() {
    let odd: Int64 = 1_234_567_891
    #expect(Distribution([1, odd, 2]).value(of: .max) == .integer(odd))
    let hour: Int64 = 3_600_000_000_000
    #expect(Distribution([hour]).value(of: .max) == .integer(hour))
  }

  @Test("No quantile lies above the maximum")
  func bounded() {
    let distribution = Distribution(Array(repeating: Int64(1_234_567), count: 10_000))
    #expect(distribution.value(of: .p999) == .integer(1_234_567))
  }

  @Test("Nothing is stated about nothing", arguments: Statistic.allCases)
  func empty(statistic: Statistic) {
    #expect(Distribution().value(of: statistic) == nil)
  }
}
