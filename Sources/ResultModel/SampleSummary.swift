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
