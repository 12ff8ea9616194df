import Histogram
package import ResultModel

/// A distribution of durations: a histogram of three significant digits, and the exact maximum kept
/// apart.
package struct Distribution: Sendable {
  private var histogram = Histogram<UInt64>(
    highestTrackableValue: Self.largestTracked, numberOfSignificantValueDigits: .three)
  /// The exact largest sample in nanoseconds; `nil` without samples.
  package private(set) var maximum: Int64?
  private var sum = 0.0

  /// Ten minutes; a longer sample counts as this in quantiles and as itself in the maximum.
  private static let largestTracked: UInt64 = 600_000_000_000

  package init() {}

  package init(_ samples: some Sequence<Int64>) {
    for sample in samples { record(sample) }
  }

  package var count: Int { Int(histogram.totalCount) }

  /// Records a duration in nanoseconds.
  ///
  /// - Precondition: it is not negative.
  package mutating func record(_ nanoseconds: Int64) {
    precondition(nanoseconds >= 0, "a duration of \(nanoseconds) ns: the clock went back")
    histogram.record(min(UInt64(nanoseconds), Self.largestTracked))
    maximum = max(maximum ?? nanoseconds, nanoseconds)
    sum += Double(nanoseconds)
  }

  /// The value of a statistic in nanoseconds; `nil` where there are too few samples to state it.
  package func value(of statistic: Statistic) -> MetricValue? {
    guard count >= statistic.fewestSamples else { return nil }
    switch statistic {
    case .max:
      return maximum.map { .integer($0) }
    case .mean:
      return .real(sum / Double(count))
    case .value, .peak:
      return nil
    case .p50, .p90, .p95, .p99, .p999:
      guard let share = statistic.tenThousandths else { return nil }
      let value = histogram.valueAtPercentile(Double(share) / 100)
      // A bucket's upper end may lie above the largest sample.
      return .integer(min(Int64(value), maximum ?? .max))
    }
  }
}
