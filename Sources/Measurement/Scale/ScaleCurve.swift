import ResultModel

/// The turns of one axis, and what they say.
struct ScaleCurve {
  let axis: ScaleAxis
  let sizes: [Int]
  /// The turns of each size, in its order.
  let turns: [[ScaleRound]]

  private enum Operation: CaseIterable {
    case event, read

    var lane: ResultClass.Lane {
      switch self {
      case .event: .event
      case .read: .read
      }
    }

    func cost(_ round: ScaleRound) -> Double {
      switch self {
      case .event: round.event
      case .read: round.read
      }
    }
  }

  /// Cost and throughput at each size, then the exponent; classes are `axis/operation/size`.
  func rows(seed: UInt64) -> [ResultRow] {
    Operation.allCases.flatMap { rows(of: $0, seed: seed) }
  }

  private func rows(of operation: Operation, seed: UInt64) -> [ResultRow] {
    let curve = ResultClass(axis.rawValue, lane: operation.lane)
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
      let cost = MedianInterval(turns.map(operation.cost)).map(\.median).flatMap {
        $0 > 0 ? $0 : nil
      }
      rows.append(row(.operationCost, curve.among(size), cost, samples: turns.count))
      rows.append(
        row(
          .cacheOperationsPerSecond, curve.among(size), cost.map { (1e9 / $0).rounded() },
          samples: turns.count))
    }
    let exponents = exponents(of: operation)
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
  private func exponents(of operation: Operation) -> [Double] {
    (0..<(turns.map(\.count).min() ?? 0)).compactMap { turn in
      PowerFit(zip(sizes, turns).map { (Double($0), operation.cost($1[turn])) })?.exponent
    }
  }
}
