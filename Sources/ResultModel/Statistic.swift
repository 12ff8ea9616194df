/// How the observations behind a value were brought together; its raw value is the word in the
/// `statistic` column.
public enum Statistic: String, Hashable, Sendable, CaseIterable {
  /// The metric has one value per run and class.
  case value
  /// The highest level that a quantity reached during the run.
  case peak
  /// The mean: over samples, or over virtual time for a quantity that has a level at every instant.
  case mean
  case p50
  case p90
  case p95
  case p99
  case p999 = "p99.9"
  /// The exact largest sample, not a histogram bucket.
  case max

  /// The share of samples at or below the statistic, in ten-thousandths; `nil` where the statistic
  /// is not a quantile.
  public var tenThousandths: Int? {
    switch self {
    case .p50: 5_000
    case .p90: 9_000
    case .p95: 9_500
    case .p99: 9_900
    case .p999: 9_990
    case .max: 10_000
    case .value, .peak, .mean: nil
    }
  }

  /// The samples from which on a quantile of wall-clock times may be printed.
  ///
  /// Ten lie beyond it: p99.9 takes 10,000 and p99 takes 1,000. A quantile of a whole population, as
  /// in a simulation, needs no minimum.
  public var fewestSamples: Int {
    guard let share = tenThousandths, share < 10_000 else { return 1 }
    return 100_000 / (10_000 - share)
  }
}
