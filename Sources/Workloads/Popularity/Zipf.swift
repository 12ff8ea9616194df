package import CacheModel

/// Ranks drawn from a Zipf distribution: rank k in proportion to k to the power of −exponent.
///
/// Rejection-inversion needs no table and accepts more than nine draws of ten. Source: Hörmann and
/// Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", ACM
/// TOMACS 6(3), 1996.
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

  /// A rank from 0, the most popular, to `count` − 1.
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

  /// The integral of the weight from 1 to x.
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
