package import CacheModel

/// Draws ranks from a Zipf distribution: rank k in proportion to k to the power of −exponent.
///
/// Rejection-inversion needs no table and accepts more than nine of ten draws. Source: Hörmann and
/// Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS
/// 6(3), 1996.
package struct Zipf: Sendable {
  package let count: Int
  package let exponent: Double
  private let integralOfFirst: Double
  private let integralOfLast: Double
  private let shortcut: Double

  /// - Precondition: `count` and `exponent` are positive.
  package init(count: Int, exponent: Double) {
    precondition(count > 0 && exponent > 0, "a Zipf distribution over nothing")
    self.count = count
    self.exponent = exponent
    integralOfFirst = Self.integral(1.5, exponent) - 1
    integralOfLast = Self.integral(Double(count) + 0.5, exponent)
    shortcut =
      2
      - Self.inverseIntegral(
        Self.integral(2.5, exponent) - Self.weight(2, exponent), exponent)
  }

  /// Returns a rank from 0, the most popular, to `count` − 1.
  package func sample(_ random: inout RandomSource) -> Int {
    while true {
      let u = integralOfLast + random.unit() * (integralOfFirst - integralOfLast)
      let x = Self.inverseIntegral(u, exponent)
      let rank = min(max(Int(x + 0.5), 1), count)
      let k = Double(rank)
      if k - x <= shortcut
        || u >= Self.integral(k + 0.5, exponent) - Self.weight(k, exponent)
      {
        return rank - 1
      }
    }
  }

  private static func weight(_ x: Double, _ exponent: Double) -> Double {
    PortableMath.exp(-exponent * PortableMath.log(x))
  }

  /// Returns the integral of the weight from 1 to x.
  private static func integral(_ x: Double, _ exponent: Double) -> Double {
    let logarithm = PortableMath.log(x)
    let y = (1 - exponent) * logarithm
    // (e^y − 1) / y, by its series where the difference would cancel.
    let factor = abs(y) > 1e-6 ? (PortableMath.exp(y) - 1) / y : 1 + y / 2 + y * y / 6
    return factor * logarithm
  }

  private static func inverseIntegral(_ x: Double, _ exponent: Double) -> Double {
    let y = max(x * (1 - exponent), -1 + 1e-15)
    let factor = abs(y) > 1e-6 ? PortableMath.log(1 + y) / y : 1 - y / 2 + y * y / 3
    return PortableMath.exp(factor * x)
  }
}

/// Estimates the exponent of a Zipf distribution from draws.
package enum ZipfEstimate {
  /// Returns the maximum error of an estimate from this many draws.
  package static func tolerance(of draws: Int) -> Double {
    0.08 + 2.5 / Double(max(1, draws)).squareRoot()
  }

  /// Estimates the exponent from the frequency of equal draws, without ranks.
  ///
  /// The share of equal pairs is an unbiased estimate of the sum of squared shares, which increases with the
  /// exponent.
  package static func exponent(ofRepeats chosen: [UInt32], among count: Int) -> Double {
    exponent(ofRepeatsIn: [chosen], among: count)
  }

  /// Estimates the exponent from the frequency of equal draws in the same window: ranks may change from one
  /// window to the next.
  package static func exponent(ofRepeatsIn windows: [[UInt32]], among count: Int) -> Double {
    var equal = 0.0
    var all = 0.0
    for window in windows {
      let sorted = window.sorted()
      var first = 0
      while first < sorted.count {
        var end = first
        while end < sorted.count, sorted[end] == sorted[first] { end += 1 }
        equal += Double(end - first) * Double(end - first - 1)
        first = end
      }
      all += Double(window.count) * Double(window.count - 1)
    }
    return exponent(ofEqualPairs: equal / all, among: count)
  }

  /// Estimates the exponent from the share of equal pairs of draws.
  package static func exponent(ofEqualPairs share: Double, among count: Int) -> Double {
    solve { exponent in
      let moments = sums(exponent, count) { $0 }
      return moments.squares / (moments.total * moments.total) - share
    }
  }

  /// Estimates the exponent from ranks, 0 the most chosen, by their mean logarithm: the maximum likelihood
  /// estimate.
  package static func exponent(ofRanks ranks: [Int], among count: Int) -> Double {
    let mean =
      ranks.reduce(0.0) { $0 + PortableMath.log(Double($1 + 1)) } / Double(ranks.count)
    return solve { exponent in
      let moments = sums(exponent, count) { PortableMath.log($0) }
      return mean - moments.weighted / moments.total
    }
  }

  /// Returns the exponent between 0 and 4 at which an increasing function of it is zero, by bisection.
  private static func solve(_ function: (Double) -> Double) -> Double {
    var low = 0.0
    var high = 4.0
    for _ in 0..<30 {
      let middle = (low + high) / 2
      // Both sums increase with the exponent.
      if function(middle) < 0 { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  private static func sums(
    _ exponent: Double, _ count: Int, _ value: (Double) -> Double
  ) -> (total: Double, squares: Double, weighted: Double) {
    var sums = (total: 0.0, squares: 0.0, weighted: 0.0)
    forEachStep(count) { middle, step in
      let weight = PortableMath.exp(-exponent * PortableMath.log(middle))
      sums.total += weight * step
      sums.squares += weight * weight * step
      sums.weighted += weight * value(middle) * step
    }
    return sums
  }

  /// The smallest share of a declared mean number of references that is to be distinct.
  package static let leastShareKept = 0.75

  /// Returns the mean number of distinct elements in a geometrically distributed number of draws.
  ///
  /// - Parameters:
  ///   - mean: the mean number of draws.
  ///   - choice: the distribution of the draws.
  ///   - count: the size of the population, which also limits the number of draws.
  /// - Returns: the mean.
  package static func distinct(ofDraws mean: Double, _ choice: Choice, among count: Int) -> Double {
    guard mean > 0, count > 0 else { return 0 }
    let exponent = if case .zipf(let exponent) = choice { exponent } else { 0.0 }
    let total = sums(exponent, count) { _ in 0 }.total
    // P(N ≥ k) = q^k up to the maximum number of draws, and an element with share p is missed by all with (1
    // − p)^N.
    let q = mean / (1 + mean)
    let most = min(Double(count), 100 * mean + 1).rounded(.down)
    return sum(count) { rank in
      let share = PortableMath.exp(-exponent * PortableMath.log(rank)) / total
      let step = q * (1 - share)
      let all = step > 0 ? PortableMath.exp(most * PortableMath.log(step)) : 0
      return 1 - (1 - q) * (1 - all) / (1 - step) - all
    }
  }

  /// Returns the sum of a value over all ranks from 1.
  private static func sum(_ count: Int, _ value: (Double) -> Double) -> Double {
    var sum = 0.0
    forEachStep(count) { sum += value($0) * $1 }
    return sum
  }

  /// Calls `body` with the ranks from 1, individually, and in steps where the tail of a long distribution is
  /// flat.
  private static func forEachStep(_ count: Int, _ body: (_ middle: Double, _ step: Double) -> Void)
  {
    var rank = 1
    while rank <= count {
      let step = rank < 1_000 ? 1 : min(rank / 500, count - rank + 1)
      body(Double(rank) + Double(step - 1) / 2, Double(step))
      rank += step
    }
  }
}
