import CacheModel

/// The fit of the keys' popularity to Zipf's law: the frequency of rank r is proportional to 1 / rˢ.
///
/// The exponent is the maximum-likelihood estimate over the existing ranks of the observed counts. It is
/// biased upward if most keys occur only a few times, since ranks are assigned after the fact: use it
/// together with the distance, not alone.
///
/// Source: Clauset, Shalizi & Newman, "Power-law distributions in empirical data", SIAM Review 51(4), 2009,
/// for the estimate and for the distance as its test.
package struct ZipfFit: Hashable, Sendable {
  package let exponent: Double
  /// The standard error of the estimate, from the curvature of the likelihood; random error only.
  package let standardError: Double
  /// The Kolmogorov–Smirnov distance: the maximum difference between the cumulative shares of requests by
  /// rank and those of the law; 0 is a perfect fit.
  package let distance: Double

  /// Fits counts in descending order, all above 0; `nil` for fewer than two.
  ///
  /// - Complexity: O(keys).
  init?(descendingCounts counts: [UInt32]) {
    guard counts.count > 1 else { return nil }
    var total = 0.0
    var logs = 0.0
    for (index, count) in counts.enumerated() {
      total += Double(count)
      logs += Double(count) * PortableMath.log(Double(index + 1))
    }
    let mean = logs / total
    // The expected logarithm of a rank decreases as the exponent increases.
    var low = 0.0
    var high = 8.0
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if RankSums(exponent: middle, ranks: counts.count).meanLog > mean {
        low = middle
      } else {
        high = middle
      }
    }
    exponent = (low + high) / 2
    let sums = RankSums(exponent: exponent, ranks: counts.count)
    let step = 1e-4
    let variance =
      (RankSums(exponent: exponent - step, ranks: counts.count).meanLog
        - RankSums(exponent: exponent + step, ranks: counts.count).meanLog) / (2 * step)
    standardError = 1 / (total * max(variance, 1e-12)).squareRoot()
    distance = Self.distance(counts, total, exponent, sums)
  }

  private static func distance(
    _ counts: [UInt32], _ total: Double, _ exponent: Double, _ sums: RankSums
  ) -> Double {
    var observed = 0.0
    var expected = 0.0
    var largest = 0.0
    for (index, count) in counts.enumerated() {
      observed += Double(count) / total
      expected += PortableMath.exp(-exponent * PortableMath.log(Double(index + 1))) / sums.weight
      largest = max(largest, abs(observed - expected))
    }
    return largest
  }

  /// Sums over ranks: the first ones exactly, the rest by the Euler–Maclaurin formula with its first
  /// correction.
  private struct RankSums {
    /// The sum of 1 / rˢ.
    var weight = 0.0
    /// The sum of log r / rˢ, divided by the weight.
    var meanLog = 0.0

    private static let exactRanks = 512

    init(exponent: Double, ranks: Int) {
      var logs = 0.0
      func term(_ rank: Double) -> (Double, Double) {
        let log = PortableMath.log(rank)
        let value = PortableMath.exp(-exponent * log)
        return (value, value * log)
      }
      let exact = min(ranks, Self.exactRanks)
      for rank in 1...exact {
        let (value, log) = term(Double(rank))
        weight += value
        logs += log
      }
      if ranks > exact {
        let (first, last) = (Double(exact), Double(ranks))
        let (firstTerm, lastTerm) = (term(first), term(last))
        let integrals = Self.integrals(exponent, from: first, to: last)
        weight += integrals.weight + (lastTerm.0 - firstTerm.0) / 2
        logs += integrals.logs + (lastTerm.1 - firstTerm.1) / 2
      }
      meanLog = logs / weight
    }

    private static func integrals(
      _ exponent: Double, from first: Double, to last: Double
    ) -> (weight: Double, logs: Double) {
      let (a, b) = (PortableMath.log(first), PortableMath.log(last))
      let power = 1 - exponent
      guard abs(power) > 1e-6 else { return (b - a, (b * b - a * a) / 2) }
      let (low, high) = (PortableMath.exp(power * a), PortableMath.exp(power * b))
      return (
        (high - low) / power,
        (high * (b - 1 / power) - low * (a - 1 / power)) / power
      )
    }
  }
}
