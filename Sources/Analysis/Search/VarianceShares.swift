import CacheModel

/// How much of the variance of a figure each knob explains, by itself and with the others.
///
/// (Sobol, "Global sensitivity indices for nonlinear mathematical models", 2001; the estimators of Saltelli
/// and others, "Variance based sensitivity analysis of model output", Computer Physics Communications 181,
/// 2010: 2010's for the share alone, Jansen's for the share in all.) Intervals are percentiles of 1,000
/// resamplings of the rows, whose seed is fixed.
package struct VarianceShares: Hashable, Sendable {
  package let dimensions: Int
  /// Rows of the design; each takes two runs more than there are knobs.
  package let rows: Int
  package let seed: UInt64

  private static let resamplings = 1_000

  /// - Precondition: twice the dimensions are Sobol points.
  package init(dimensions: Int, rows: Int, seed: UInt64) {
    precondition(dimensions > 0 && rows > 1, "a variance takes knobs and rows")
    self.dimensions = dimensions
    self.rows = rows
    self.seed = seed
  }

  package static let maximumDimensions = SobolSequence.maximumDimensions / 2

  package var count: Int { rows * (dimensions + 2) }

  /// Of each row: A, B, then A with each knob from B.
  package func point(_ number: Int) -> [Double] {
    let place = number % (dimensions + 2)
    let both = SobolSequence(dimensions: 2 * dimensions)
      .scrambledPoint(number / (dimensions + 2), seed: seed)
    let (a, b) = (Array(both[..<dimensions]), Array(both[dimensions...]))
    switch place {
    case 0: return a
    case 1: return b
    default:
      var point = a
      point[place - 2] = b[place - 2]
      return point
    }
  }

  /// An estimate and the interval that holds 95 % of its resamplings.
  package struct Share: Hashable, Sendable {
    package let value: Double
    package let low: Double
    package let high: Double

    /// Whether it cannot be told from nothing.
    package var isNothing: Bool { low <= 0 && high < 0.1 || value < 0.005 }
  }

  package struct Shares: Hashable, Sendable {
    package let knob: Int
    /// Of the variance, what the knob explains whatever the others are.
    package let alone: Share
    /// What it explains together with others too.
    package let inAll: Share
  }

  /// One for each knob, in their order; `nil` where the figure never changes, or too few rows have all
  /// their values.
  package func shares(_ values: [Double?]) -> [Shares]? {
    precondition(values.count == count, "a design of \(count) points")
    let width = dimensions + 2
    let complete = (0..<rows).compactMap { row -> [Double]? in
      let own = values[row * width..<(row + 1) * width].compactMap(\.self)
      return own.count == width ? own : nil
    }
    guard complete.count > 1, let estimate = Self.estimate(complete, dimensions) else { return nil }
    var stream = RandomSource(seed: seed).substream("variance resampling")
    var resampled: [[(alone: Double, inAll: Double)]] = []
    for _ in 0..<Self.resamplings {
      let drawn = (0..<complete.count).map { _ in complete[stream.below(complete.count)] }
      if let estimate = Self.estimate(drawn, dimensions) { resampled.append(estimate) }
    }
    return (0..<dimensions).map { knob in
      Shares(
        knob: knob,
        alone: Self.share(estimate[knob].alone, resampled.map { $0[knob].alone }),
        inAll: Self.share(estimate[knob].inAll, resampled.map { $0[knob].inAll }))
    }
  }

  private static func share(_ value: Double, _ resampled: [Double]) -> Share {
    let sorted = resampled.sorted()
    guard let first = sorted.first, let last = sorted.last else {
      return Share(value: value, low: value, high: value)
    }
    let tail = sorted.count / 40
    return Share(
      value: value, low: tail > 0 ? sorted[tail] : first,
      high: tail > 0 ? sorted[sorted.count - 1 - tail] : last)
  }

  private static func estimate(
    _ rows: [[Double]], _ dimensions: Int
  ) -> [(alone: Double, inAll: Double)]? {
    let all = rows.flatMap { $0.prefix(2) }
    let mean = all.reduce(0, +) / Double(all.count)
    let variance = all.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(all.count)
    guard variance > 0 else { return nil }
    return (0..<dimensions).map { knob in
      var alone = 0.0
      var inAll = 0.0
      for row in rows {
        let (a, b, mixed) = (row[0], row[1], row[knob + 2])
        // Centred, which changes nothing in the mean and much of the spread.
        alone += (b - mean) * (mixed - a)
        inAll += (a - mixed) * (a - mixed)
      }
      let count = Double(rows.count)
      return (alone / count / variance, inAll / (2 * count) / variance)
    }
  }
}
