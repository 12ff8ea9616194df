/// The mean of a sample and Student's interval about it ("Student", "The probable error of a mean",
/// Biometrika, 1908).
///
/// It supposes values that are independent of each other, and a mean that is close to normal.
package struct MeanInterval: Hashable, Sendable {
  package let mean: Double
  /// Of the values, not of their mean.
  package let standardDeviation: Double
  /// How many values stand behind it: of a comparison, the seeds that both sides ran.
  package let count: Int
  /// The share of such intervals that hold the true mean.
  package let level: Double
  /// What stands behind ±.
  package let halfWidth: Double

  package var low: Double { mean - halfWidth }
  package var high: Double { mean + halfWidth }

  /// Of what is read by itself: a row over seeds, a constraint, a figure with its ±.
  package static let usualLevel = 0.95

  /// The interval about the mean of the values; O(n).
  ///
  /// - Returns: `nil` of fewer than two values, whose spread is unknown and not zero.
  package init?(of values: [Double], level: Double = usualLevel) {
    let count = values.count
    guard count > 1 else { return nil }
    let mean = values.reduce(0, +) / Double(count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    self.mean = mean
    self.count = count
    self.level = level
    standardDeviation = (squares / Double(count - 1)).squareRoot()
    halfWidth =
      StudentT.quantile(level: level, degreesOfFreedom: count - 1) * standardDeviation
      / Double(count).squareRoot()
  }

  /// The interval about the mean of `values[i] - others[i]`.
  ///
  /// Both sides of a seed met the same stream. What the seed does to both cancels out; between two
  /// intervals, one for each side, it would count twice.
  ///
  /// - Precondition: the same seeds on both sides, in the same order.
  /// - Returns: `nil` of fewer than two seeds.
  package init?(of values: [Double], less others: [Double], level: Double = usualLevel) {
    precondition(values.count == others.count, "a difference has two sides")
    self.init(of: values.indices.map { values[$0] - others[$0] }, level: level)
  }
}

/// The interval of a mean difference, seed by seed.
package typealias PairedInterval = MeanInterval
