/// The median of few values, with an interval that contains the true one in 95 of 100 cases.
///
/// The interval is between two of the values and assumes nothing about their distribution: each is above the
/// true median with probability one half (the sign test; Conover, "Practical Nonparametric Statistics", 1999,
/// section 3.2). It takes at least six values.
package struct MedianInterval: Hashable, Sendable {
  package let median: Double
  /// `nil` if there are fewer than six values.
  package let interval: ClosedRange<Double>?

  /// The maximum probability that the interval misses, on both sides together.
  private static let largestError = 0.05

  package init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first else { return nil }
    let middle = sorted.count / 2
    median =
      sorted.count == 1
      ? first
      : sorted.count.isMultiple(of: 2)
        ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    let outside = Self.valuesOutside(of: sorted.count)
    interval = outside.map { sorted[$0]...sorted[sorted.count - 1 - $0] }
  }

  /// Returns how many of the smallest, and of the largest values may be excluded; `nil` if there are too few
  /// values.
  private static func valuesOutside(of count: Int) -> Int? {
    // The probability of this many successes or fewer.
    var term = 1.0
    for _ in 0..<count { term /= 2 }
    var chance = term
    var outside: Int?
    var heads = 0
    while chance * 2 <= largestError, heads < count / 2 {
      outside = heads
      heads += 1
      term *= Double(count - heads + 1) / Double(heads)
      chance += term
    }
    return outside
  }
}

/// Quantiles of whole-number samples by the nearest-rank definition: every result is one of the samples, and
/// identical on all machines.
public struct SampleSummary: Sendable {
  private let sorted: [Int64]
  /// The number of additional samples of zero.
  private let zeros: Int

  /// Sorts the samples: O(n log n).
  ///
  /// - Parameters:
  ///   - samples: non-negative if there are `zeros`.
  ///   - zeros: the number of additional samples of zero.
  public init(_ samples: [Int64], zeros: Int = 0) {
    precondition(zeros == 0 || samples.allSatisfy { $0 >= 0 }, "a sample below the zeros")
    sorted = samples.sorted()
    self.zeros = zeros
  }

  public var count: Int { zeros + sorted.count }

  /// Returns the smallest sample such that at least the statistic's share of all samples is not larger; `nil`
  /// without samples, and for statistics that are not quantiles.
  public func quantile(_ statistic: Statistic) -> Int64? {
    guard let share = statistic.tenThousandths, count > 0 else { return nil }
    // In whole numbers, since 0.95 × 20 is not exactly 19 in floating point.
    let (groups, rest) = count.quotientAndRemainder(dividingBy: 10_000)
    let rank = groups * share + (rest * share + 9_999) / 10_000
    let place = max(rank, 1) - 1
    return place < zeros ? 0 : sorted[place - zeros]
  }

  /// The mean, summed in ascending order so that it does not depend on the order of arrival.
  public var mean: Double? {
    guard count > 0 else { return nil }
    return sorted.reduce(0.0) { $0 + Double($1) } / Double(count)
  }
}
