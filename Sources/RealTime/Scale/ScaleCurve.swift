import ResultModel

/// The turns of one axis, and what they say.
struct ScaleCurve {
  let axis: ScaleAxis
  let sizes: [Int]
  /// The turns of each size, in its order.
  let turns: [[ScaleRound]]

  /// Cost and throughput at each size, then the exponent; classes are `axis/operation/size`.
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
      // Nothing where they took no time.
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

  /// One for each turn around the sizes: they were measured together, so that what slowed the machine
  /// down slowed down all of them.
  private func exponents(of cost: (ScaleRound) -> Double) -> [Double] {
    (0..<(turns.map(\.count).min() ?? 0)).compactMap { turn in
      PowerFit(zip(sizes, turns).map { (Double($0), cost($1[turn])) })?.exponent
    }
  }
}
