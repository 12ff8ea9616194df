import CacheModel
import ResultModel
import Testing

@Suite("Sample summary")
struct SampleSummaryTests {
  @Test("nearest rank by its definition, against counting", arguments: [1, 2, 19, 20, 21, 1_000])
  func againstCounting(count: Int) {
    var random = RandomSource(seed: UInt64(count))
    let samples = (0..<count).map { _ in Int64(random.below(50)) - 10 }
    let summary = SampleSummary(samples)
    for statistic in Statistic.allCases {
      guard let share = statistic.tenThousandths else {
        #expect(summary.quantile(statistic) == nil)
        continue
      }
      let expected = samples.sorted().first { candidate in
        samples.count { $0 <= candidate } * 10_000 >= share * count
      }
      #expect(summary.quantile(statistic) == expected, "\(statistic)")
    }
    #expect(summary.count == count)
  }

  @Test("zeros that are only counted are samples like others", arguments: [0, 1, 7, 100])
  func zeros(count: Int) {
    let samples: [Int64] = [4, 1, 9, 2, 6]
    let counted = SampleSummary(samples, zeros: count)
    let written = SampleSummary(samples + [Int64](repeating: 0, count: count))
    #expect(counted.count == 5 + count)
    #expect(counted.mean == 22.0 / Double(5 + count))
    for statistic in Statistic.allCases {
      #expect(counted.quantile(statistic) == written.quantile(statistic), "\(statistic)")
    }
  }

  @Test("a wall-clock quantile has ten samples beyond it")
  func fewestSamples() {
    #expect(Statistic.p999.fewestSamples == 10_000)
    #expect(Statistic.p99.fewestSamples == 1_000)
    #expect(Statistic.p50.fewestSamples == 20)
    #expect(Statistic.max.fewestSamples == 1)
    #expect(Statistic.value.fewestSamples == 1)
  }

  @Test("no samples, no answer")
  func empty() {
    let summary = SampleSummary([])
    #expect(summary.quantile(.p50) == nil)
    #expect(summary.quantile(.max) == nil)
    #expect(summary.mean == nil)
  }

  @Test("the mean does not depend on the order of arrival")
  func mean() {
    let samples: [Int64] = [Int64.max, 1, -5, 1 << 53, 3, Int64.min, 7]
    #expect(SampleSummary(samples).mean == SampleSummary(samples.reversed()).mean)
    #expect(SampleSummary([1, 2, 6]).mean == 3)
  }
}

@Suite("Median and interval")
struct MedianIntervalTests {
  @Test(
    "The interval leaves out as many values as a thrown coin allows",
    arguments: [
      // Critical values of the sign test at 5 %, both sides.
      (5, nil), (6, 0), (7, 0), (8, 0), (9, 1), (11, 1), (12, 2), (20, 5), (25, 7), (50, 17),
    ] as [(Int, Int?)])
  func interval(count: Int, outside: Int?) throws {
    let values = (1...count).map(Double.init)
    let summary = try #require(MedianInterval(values.reversed()))
    #expect(summary.median == Double(count + 1) / 2)
    #expect(
      summary.interval == outside.map { Double(1 + $0)...Double(count - $0) })
  }

  @Test("One value is its own median, and none has none")
  func few() {
    #expect(MedianInterval([3])?.median == 3)
    #expect(MedianInterval([3])?.interval == nil)
    #expect(MedianInterval([]) == nil)
  }
}
