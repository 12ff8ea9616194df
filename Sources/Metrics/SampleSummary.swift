/// Quantiles of whole-number samples by the nearest-rank definition: every answer is one of the
/// samples, and two machines agree on it.
public struct SampleSummary: Sendable {
  private let sorted: [Int64]

  /// Sorts the samples: O(n log n).
  public init(_ samples: [Int64]) {
    sorted = samples.sorted()
  }

  public var count: Int { sorted.count }

  /// The smallest sample such that at least the asked share of all samples is not larger; `nil`
  /// without samples, and for statistics that are not quantiles.
  public func quantile(_ statistic: Statistic) -> Int64? {
    guard let share = statistic.tenThousandths, !sorted.isEmpty else { return nil }
    // Whole numbers: 0.95 × 20 is not 19 in floating point on every path.
    let (groups, rest) = sorted.count.quotientAndRemainder(dividingBy: 10_000)
    let rank = groups * share + (rest * share + 9_999) / 10_000
    return sorted[max(rank, 1) - 1]
  }

  /// The mean, summed in ascending order so that it does not depend on the order of arrival.
  public var mean: Double? {
    guard !sorted.isEmpty else { return nil }
    return sorted.reduce(0.0) { $0 + Double($1) } / Double(sorted.count)
  }
}
