import CacheModel
import ResultModel

/// The turns of one axis, and their evaluation.
struct ScaleCurve {
  let axis: ScaleAxis
  let sizes: [Int]
  /// The turns of each size, in its order.
  let turns: [[ScaleRound]]

  /// Returns cost and throughput at each size, then the exponent; classes are `axis/operation/size`.
  func rows(seed: UInt64) -> [ResultRow] {
    rows(of: .event, seed: seed, cost: \.event) + rows(of: .read, seed: seed, cost: \.read)
  }

  private func rows(
    of operation: ResultClass.Lane, seed: UInt64, cost: (ScaleRound) -> Double
  ) -> [ResultRow] {
    let curve = ResultClass(axis.rawValue, lane: operation)
    let run = RunRows(scenario: "scale", policy: "lru", seed: seed)
    var rows: [ResultRow] = []
    for (size, turns) in zip(sizes, turns) {
      // No row if they took no measurable time.
      let median = MedianInterval(turns.map(cost)).map(\.median).flatMap { $0 > 0 ? $0 : nil }
      let name = curve.among(size)
      rows += [
        run.row(.operationCost, median.map { .real($0) }, class: name, count: turns.count),
        run.row(
          .cacheOperationsPerSecond, median.map { .real((1e9 / $0).rounded()) }, class: name,
          count: turns.count),
      ]
    }
    let exponents = exponents(of: cost)
    let summary = MedianInterval(exponents)
    rows += [
      run.row(
        .costExponent, summary.map { .real($0.median) }, class: curve, count: exponents.count,
        interval: summary?.interval),
      run.row(
        .isCostFlat, summary.map { .real($0.median <= axis.flatExponent ? 1 : 0) }, class: curve,
        count: exponents.count),
    ]
    return rows
  }

  /// Returns one exponent for each turn of all sizes: they were measured together, so that interference
  /// slowed all of them down.
  private func exponents(of cost: (ScaleRound) -> Double) -> [Double] {
    (0..<(turns.map(\.count).min() ?? 0)).compactMap { turn in
      PowerFit(zip(sizes, turns).map { (Double($0), cost($1[turn])) })?.exponent
    }
  }
}

/// A power law through points: `cost = factor · size ^ exponent`, by least squares of the logarithms.
package struct PowerFit: Hashable, Sendable {
  package let exponent: Double
  package let factor: Double

  /// Fits the law; `nil` with fewer than two different sizes.
  ///
  /// - Parameter points: sizes and costs; those that are not positive are ignored.
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
