import CacheModel

/// A power law through points: `cost = factor · size ^ exponent`, by least squares of the logarithms.
package struct PowerFit: Hashable, Sendable {
  package let exponent: Double
  package let factor: Double

  /// Fits the law; `nil` with fewer than two different sizes.
  ///
  /// - Parameter points: sizes and costs; those that are not positive are left out.
  package init?(_ points: [(size: Double, cost: Double)]) {
    let logarithms = points.filter { $0.size > 0 && $0.cost > 0 }
      .map { (x: PortableMath.log($0.size), y: PortableMath.log($0.cost)) }
    let count = Double(logarithms.count)
    guard count > 1 else { return nil }
    let meanX = logarithms.reduce(0) { $0 + $1.x } / count
    let meanY = logarithms.reduce(0) { $0 + $1.y } / count
    let spread = logarithms.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    guard spread > 0 else { return nil }
    exponent = logarithms.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
    factor = PortableMath.exp(meanY - exponent * meanX)
  }
}
