import CacheModel

/// How large entities are, in bytes of compact JSON.
package enum SizeDistribution: Hashable, Sendable {
  case fixed(Int)
  /// Cut off below one byte.
  case normal(mean: Double, deviation: Double)
  /// By its median and its 99th percentile.
  case logNormal(median: Double, p99: Double)
  /// The quantiles at equal steps from the smallest to the largest, straight lines between them.
  case table([Int])
  /// The chance to be larger than x is in proportion to x to the power of −exponent, between two bounds;
  /// an entity keeps its size.
  case pareto(least: Int, most: Int, exponent: Double)

  /// No entity is larger.
  package static let most = 10_000_000

  /// The 99th percentile of the standard normal distribution.
  package static let normal99 = 2.326_347_874_040_841

  /// Whether another text leaves an entity its size.
  var isKept: Bool {
    if case .pareto = self { true } else { false }
  }

  /// A size; each costs the same number of sub-streams, whatever the distribution.
  func draw(_ random: inout RandomSource) -> Int32 {
    let size: Double
    switch self {
    case .fixed(let bytes): return Int32(bytes)
    case .normal(let mean, let deviation): size = mean + deviation * random.normal()
    case .logNormal(let median, let p99):
      let deviation = PortableMath.log(p99 / median) / Self.normal99
      size = median * PortableMath.exp(deviation * random.normal())
    case .table, .pareto: size = quantile(random.unit())
    }
    return Int32(min(max(size, 1), Double(Self.most)))
  }

  /// The size that a share of the entities does not exceed; of a table and of a Pareto distribution any
  /// share, of the others 50 and 99 %.
  package func quantile(_ share: Double) -> Double {
    switch self {
    case .fixed(let bytes): return Double(bytes)
    case .normal(let mean, let deviation):
      return mean + (share > 0.5 ? Self.normal99 * deviation : 0)
    case .logNormal(let median, let p99): return share > 0.5 ? p99 : median
    case .table(let sizes):
      let place = share * Double(sizes.count - 1)
      let lower = min(Int(place), sizes.count - 1)
      let upper = min(lower + 1, sizes.count - 1)
      return Double(sizes[lower])
        + (place - Double(lower)) * Double(sizes[upper] - sizes[lower])
    case .pareto(let least, let most, let exponent):
      // By inversion of the distribution function.
      let (low, high) = (Double(least), Double(most))
      let beyond = PortableMath.pow(low / high, exponent)
      let size = low * PortableMath.pow(1 - share * (1 - beyond), -1 / exponent)
      return min(max(size, low), high)
    }
  }

  /// The share of the entities that is smaller; for what is drawn from a table.
  package func share(below limit: Int) -> Double? {
    guard case .table(let sizes) = self else { return nil }
    let shares = zip(sizes, sizes.dropFirst()).map { lower, upper in
      upper == lower
        ? lower < limit ? 1 : 0
        : min(max(Double(limit - lower) / Double(upper - lower), 0), 1)
    }
    return shares.reduce(0, +) / Double(shares.count)
  }
}

extension RandomSource {
  /// A draw from the standard normal distribution, by the polar method (Marsaglia and Bray, 1964).
  mutating func normal() -> Double {
    while true {
      let x = 2 * unit() - 1
      let y = 2 * unit() - 1
      let square = x * x + y * y
      if square > 0, square < 1 {
        return x * (-2 * PortableMath.log(square) / square).squareRoot()
      }
    }
  }
}
