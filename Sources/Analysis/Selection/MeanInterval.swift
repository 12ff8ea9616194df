/// The mean of a sample with Student's interval ("Student", "The probable error of a mean", Biometrika,
/// 1908).
///
/// It assumes independent values, and an approximately normal mean.
package struct MeanInterval: Hashable, Sendable {
  package let mean: Double
  /// The standard deviation of the values, not of their mean.
  package let standardDeviation: Double
  /// The number of values: in a comparison, the seeds of both sides.
  package let count: Int
  package let level: Double
  /// The number after ±.
  package let halfWidth: Double

  package var low: Double { mean - halfWidth }
  package var high: Double { mean + halfWidth }

  /// The level of figures shown individually: a row over seeds, a constraint, a figure with its ±.
  package static let usualLevel = 0.95

  /// Computes the interval of the mean of the values; O(n).
  ///
  /// - Returns: `nil` for fewer than two values, whose spread is unknown and not zero.
  package init?(of values: [Double], level: Double = usualLevel) {
    let count = values.count
    guard count > 1 else { return nil }
    let mean = values.reduce(0, +) / Double(count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    self.init(
      mean: mean, standardDeviation: (squares / Double(count - 1)).squareRoot(), count: count,
      level: level)
  }

  private init(mean: Double, standardDeviation: Double, count: Int, level: Double) {
    self.mean = mean
    self.standardDeviation = standardDeviation
    self.count = count
    self.level = level
    halfWidth =
      StudentT.quantile(level: level, degreesOfFreedom: count - 1) * standardDeviation
      / Double(count).squareRoot()
  }

  /// Returns the interval of the same values at another level.
  func at(level: Double) -> MeanInterval {
    MeanInterval(
      mean: mean, standardDeviation: standardDeviation, count: count, level: level)
  }

  /// Computes the interval of the mean of `values[i] - others[i]`.
  ///
  /// Both sides of a seed had the same stream, so the seed's common effect cancels out; in two separate
  /// intervals it would count twice.
  ///
  /// - Precondition: the same seeds on both sides, in the same order.
  /// - Returns: `nil` for fewer than two seeds.
  package init?(of values: [Double], less others: [Double], level: Double = usualLevel) {
    precondition(values.count == others.count, "a difference has two sides")
    self.init(of: values.indices.map { values[$0] - others[$0] }, level: level)
  }
}

/// The interval of a mean difference, paired by seed.
package typealias PairedInterval = MeanInterval

/// Quantiles of Student's t distribution, computed with + − × ÷ √ alone, so that all machines agree to the
/// last bit.
///
/// For whole degrees of freedom the distribution is a finite sum (Abramowitz and Stegun, "Handbook of
/// Mathematical Functions", 1964, 26.7.3 and 26.7.4); only an arc tangent is a series.
package enum StudentT {
  /// Returns the t that |T| exceeds with probability 1 − `level`: the factor of a two-sided interval.
  ///
  /// Relative error below 1e-9 for levels from 0.5 to 1 − 1e-6; O(`degreesOfFreedom`).
  ///
  /// - Precondition: 0 < `level` ≤ 1 − 1e-9, and `degreesOfFreedom` is positive.
  package static func quantile(level: Double, degreesOfFreedom: Int) -> Double {
    precondition(level > 0 && level <= 1 - 1e-9, "\(level) is no level of confidence")
    precondition(degreesOfFreedom > 0, "a spread takes at least two values")
    var t = 1.0
    while tail(beyond: 2 * t, degreesOfFreedom).probability > 1 - level { t *= 2 }
    if t == 1 { t = 0 }
    // The tail is convex: from below, Newton's steps approach the root and overshoot by no more than the last
    // digits. Twenty suffice for any level here.
    for _ in 0..<30 {
      let (probability, density) = tail(beyond: t, degreesOfFreedom)
      let next = t + (probability - (1 - level)) / (2 * density)
      if next <= t { break }
      t = next
    }
    return t
  }

  /// Returns the probability that |T| exceeds `t`, and the density of T there.
  private static func tail(
    beyond t: Double, _ degreesOfFreedom: Int
  ) -> (probability: Double, density: Double) {
    // The angle has the tangent t / √ν; the sum is over even powers of its cosine.
    let freedom = Double(degreesOfFreedom)
    let cosineSquared = freedom / (freedom + t * t)
    let cosine = cosineSquared.squareRoot()
    let sine = t / (freedom + t * t).squareRoot()
    let isEven = degreesOfFreedom.isMultiple(of: 2)
    var factor = isEven ? 1.0 : 2.0
    var term = 1.0
    var sum = 0.0
    for _ in 0..<(degreesOfFreedom / 2) {
      sum += term
      term *= cosineSquared * (factor / (factor + 1))
      factor += 2
    }
    // The first omitted term of the sum is the density, up to a factor.
    if isEven { return (1 - sine * sum, freedom.squareRoot() / 2 * term * cosine) }
    let complement = Double.pi / 2 - arcTangent(t / freedom.squareRoot())
    return (
      2 / Double.pi * (complement - sine * cosine * sum),
      freedom.squareRoot() / Double.pi * term * cosineSquared
    )
  }

  private static func arcTangent(_ x: Double) -> Double {
    // Each halving of the angle halves the tangent at least; after three it is below tan(π/16).
    var tangent = x
    for _ in 0..<3 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
    let square = tangent * tangent
    var sum = 0.0
    var power = 23.0
    // 0.199²³ / 23 is below one unit in the last place.
    while power > 0 {
      sum = 1 / power - square * sum
      power -= 2
    }
    return 8 * tangent * sum
  }
}
