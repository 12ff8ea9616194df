/// The median of few values, and an interval that contains the true one in 95 of 100 cases.
///
/// The interval reaches from one of the values to another and assumes nothing of their distribution: each
/// lies above the true median like a thrown coin (the sign test; Conover, "Practical Nonparametric
/// Statistics", 1999, section 3.2). It takes six values; below that even all of them are too few.
package struct MedianInterval: Hashable, Sendable {
  package let median: Double
  /// `nil` if there are fewer than six values.
  package let interval: ClosedRange<Double>?

  /// The share of cases in which the interval may miss, both sides together.
  private static let largestError = 0.05

  /// - Returns: `nil` without values.
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

  /// How many of the smallest, and of the largest, may be left out; `nil` if none can be kept in.
  private static func valuesOutside(of count: Int) -> Int? {
    // The chance that so few of the coins, or fewer, show heads.
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

/// Quantiles of whole-number samples by the nearest-rank definition: every answer is one of the
/// samples, and two machines agree on it.
public struct SampleSummary: Sendable {
  private let sorted: [Int64]
  /// Samples of zero that come before all others and are only counted.
  private let zeros: Int

  /// Sorts the samples: O(n log n).
  ///
  /// - Parameters:
  ///   - samples: at least zero each where there are `zeros`.
  ///   - zeros: how many samples of zero there are besides.
  public init(_ samples: [Int64], zeros: Int = 0) {
    precondition(zeros == 0 || samples.allSatisfy { $0 >= 0 }, "a sample below the zeros")
    sorted = samples.sorted()
    self.zeros = zeros
  }

  public var count: Int { zeros + sorted.count }

  /// The smallest sample such that at least the asked share of all samples is not larger; `nil`
  /// without samples, and for statistics that are not quantiles.
  public func quantile(_ statistic: Statistic) -> Int64? {
    guard let share = statistic.tenThousandths, count > 0 else { return nil }
    // Whole numbers: 0.95 × 20 is not 19 in floating point on every path.
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
