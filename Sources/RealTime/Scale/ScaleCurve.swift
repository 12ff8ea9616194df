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
    func row(
      _ metric: Metric, _ name: ResultClass, _ value: Double?, samples: Int,
      _ interval: ClosedRange<Double>? = nil
    ) -> ResultRow {
      ResultRow(
        scenario: "scale", policy: "lru", seed: seed, class: name, metric: metric,
        value: value.map { .real($0) }, sampleCount: samples, confidenceInterval: interval)
    }
    var rows: [ResultRow] = []
    for (size, turns) in zip(sizes, turns) {
      // Nothing where they took no time.
      let median = MedianInterval(turns.map(cost)).map(\.median).flatMap { $0 > 0 ? $0 : nil }
      rows.append(row(.operationCost, curve.among(size), median, samples: turns.count))
      rows.append(
        row(
          .cacheOperationsPerSecond, curve.among(size), median.map { (1e9 / $0).rounded() },
          samples: turns.count))
    }
    let exponents = exponents(of: cost)
    let summary = MedianInterval(exponents)
    rows.append(
      row(
        .costExponent, curve, summary?.median, samples: exponents.count, summary?.interval))
    rows.append(
      row(
        .isCostFlat, curve, summary.map { $0.median <= axis.flatExponent ? 1 : 0 },
        samples: exponents.count))
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
