import CacheModel
package import ResultModel

/// The points of the unit cube that a search tries, each determined by its number.
///
/// A point depends on the design, its seed and its number, not on earlier draws: a search that is resumed, or
/// distributed among machines, draws the same points as a single one, and none twice.
package enum SearchDesign: Hashable, Sendable {
  /// Independent uniform points.
  case independent(dimensions: Int)
  /// Sobol's points with Owen's scrambling: evenly distributed in every block of 2, 4, 8 … points.
  case sobol(dimensions: Int)
  /// A number of points such that each axis has one in each of as many equal strata.
  case latinHypercube(dimensions: Int, count: Int)

  /// - Precondition: the number and the dimensions are within the design: a Latin hypercube has as many
  ///   points as its count, Sobol's points have at most ``SobolSequence/maximumDimensions``.
  package func point(_ number: Int, seed: UInt64) -> [Double] {
    let source = RandomSource(seed: seed)
    switch self {
    case .independent(let dimensions):
      var stream = source.substream("random point", UInt64(number))
      return (0..<dimensions).map { _ in stream.unit() }
    case .sobol(let dimensions):
      return SobolSequence(dimensions: dimensions).scrambledPoint(number, seed: seed)
    case .latinHypercube(let dimensions, let count):
      precondition(number < count, "point \(number) of \(count)")
      return (0..<dimensions).map { dimension in
        let strata = Self.permutation(
          of: count, source.substream("latin strata", UInt64(dimension)))
        var stream = source.substream(
          "latin place", UInt64(dimension) << 32 | UInt64(number))
        return (Double(strata[number]) + stream.unit()) / Double(count)
      }
    }
  }

  /// Fisher and Yates's shuffle.
  private static func permutation(of count: Int, _ stream: RandomSource) -> [Int] {
    var stream = stream
    var order = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, stream.below(last + 1))
    }
    return order
  }
}

/// Sobol's low-discrepancy points, plain or scrambled, by number.
///
/// The direction numbers are those of Joe and Kuo ("Constructing Sobol sequences with better two-dimensional
/// projections", SIAM Journal on Scientific Computing 30, 2008), the order is by Gray codes, as in common
/// libraries. Scrambling is Owen's ("Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995): each digit
/// is flipped by a hash of the previous digits, so that no state is needed and the points are the same
/// everywhere.
package struct SobolSequence: Sendable {
  package static let maximumDimensions = 21

  package let dimensions: Int

  /// - Precondition: 1 to ``maximumDimensions``.
  package init(dimensions: Int) {
    precondition(
      (1...Self.maximumDimensions).contains(dimensions), "\(dimensions) dimensions of Sobol points")
    self.dimensions = dimensions
  }

  /// Returns a point as fractions of 2³², without scrambling.
  package func digits(_ number: Int) -> [UInt32] {
    let gray = UInt32(truncatingIfNeeded: number ^ (number >> 1))
    return (0..<dimensions).map { dimension in
      let directions = Self.directions[dimension]
      return directions.indices.reduce(UInt32(0)) { digits, bit in
        gray >> UInt32(bit) & 1 == 1 ? digits ^ directions[bit] : digits
      }
    }
  }

  /// Returns a scrambled point in 0 ..< 1.
  package func scrambledPoint(_ number: Int, seed: UInt64) -> [Double] {
    digits(number).enumerated().map { dimension, digits in
      Double(Self.scrambled(digits, dimension: dimension, seed: seed)) * 0x1p-32
    }
  }

  private static func scrambled(_ digits: UInt32, dimension: Int, seed: UInt64) -> UInt32 {
    var result = digits
    for bit in 0..<32 {
      // The previous digits, marked with their number.
      let prefix = UInt64(digits) >> UInt64(32 - bit) | UInt64(1) << UInt64(bit)
      let hash = mix(mix(seed ^ mix(UInt64(dimension) &+ 1)) ^ prefix)
      if hash >> 63 == 1 { result ^= 1 << UInt32(31 - bit) }
    }
    return result
  }

  /// Applies the finaliser of SplitMix64.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// The contribution of each bit of the Gray code, by dimension.
  private static let directions: [[UInt32]] =
    [(0..<32).map { UInt32(1) << UInt32(31 - $0) }] + table.map(directionNumbers)

  /// A primitive polynomial: its degree, its inner coefficients, and the first direction numbers.
  private typealias Polynomial = (degree: Int, coefficients: Int, numbers: [UInt32])

  private static func directionNumbers(of polynomial: Polynomial) -> [UInt32] {
    let (degree, coefficients, numbers) = polynomial
    var directions = numbers.enumerated().map { $1 << UInt32(31 - $0) }
    for bit in degree..<32 {
      var value = directions[bit - degree] ^ (directions[bit - degree] >> UInt32(degree))
      for place in 1..<max(degree, 1) where coefficients >> (degree - 1 - place) & 1 == 1 {
        value ^= directions[bit - place]
      }
      directions.append(value)
    }
    return directions
  }

  private static let table: [Polynomial] = [
    (1, 0, [1]), (2, 1, [1, 3]), (3, 1, [1, 3, 1]), (3, 2, [1, 1, 1]), (4, 1, [1, 1, 3, 3]),
    (4, 4, [1, 3, 5, 13]), (5, 2, [1, 1, 5, 5, 17]), (5, 4, [1, 1, 5, 5, 5]),
    (5, 7, [1, 1, 7, 11, 19]), (5, 11, [1, 1, 5, 1, 1]), (5, 13, [1, 1, 1, 3, 11]),
    (5, 14, [1, 3, 5, 5, 31]), (6, 1, [1, 3, 3, 9, 7, 49]), (6, 13, [1, 1, 1, 15, 21, 21]),
    (6, 16, [1, 3, 1, 13, 27, 49]), (6, 19, [1, 1, 1, 15, 7, 5]), (6, 22, [1, 3, 1, 15, 13, 25]),
    (6, 25, [1, 1, 5, 5, 19, 61]), (7, 1, [1, 3, 7, 11, 23, 15, 103]),
    (7, 4, [1, 3, 7, 13, 13, 15, 69]),
  ]
}

/// Successive halving: tries many settings with few runs, and few with many.
///
/// At each rung the better third continues with three times as many, until three or fewer have all of them.
///
/// (Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS
/// 2016.) The budget of a setting is seeds, if there is at least one; below one seed, a part of its virtual
/// time.
package struct SuccessiveHalving: Hashable, Sendable {
  package struct Rung: Hashable, Sendable {
    package let settings: Int
    package let seeds: Int
    /// The virtual time is divided by this; 1 for all of it.
    package let divisor: Int
  }

  /// One of this many settings continues to the next rung.
  package static let factor = 3
  /// The maximum divisor: a shorter run would be a different workload.
  package static let maximumDivisor = 9

  package let rungs: [Rung]

  /// - Precondition: settings and seeds are positive.
  package init(settings: Int, seeds: Int) {
    precondition(settings > 0 && seeds > 0, "\(settings) settings on \(seeds) seeds")
    var counts = [settings]
    while let last = counts.last, last > Self.factor {
      counts.append((last + Self.factor - 1) / Self.factor)
    }
    var resources = [(seeds: seeds, divisor: 1)]
    while resources.count < counts.count, let lowest = resources.last {
      if lowest.seeds > 1 {
        resources.append((max(1, lowest.seeds / Self.factor), 1))
      } else if lowest.divisor < Self.maximumDivisor {
        resources.append((1, lowest.divisor * Self.factor))
      } else {
        break
      }
    }
    // With too small a budget, the first rungs that would be equal are merged.
    let surplus = counts.count - resources.count
    if surplus > 0 { counts.removeSubrange(1...surplus) }
    rungs = zip(counts, resources.reversed()).map {
      Rung(settings: $0, seeds: $1.seeds, divisor: $1.divisor)
    }
  }

  /// Returns the settings for the next rung: the best by score, ties by order; in their order.
  ///
  /// A higher score is better; a setting without one, because a figure is missing, comes last.
  package static func survivors(_ scores: [Double?], count: Int) -> [Int] {
    let order = scores.indices.sorted { first, second in
      switch (scores[first], scores[second]) {
      case (let a?, let b?) where a != b: a > b
      case (_?, nil): true
      case (nil, _?): false
      default: first < second
      }
    }
    return order.prefix(count).sorted()
  }
}

/// Computes choices that no other choice dominates.
package enum ParetoFront {
  /// Returns the indices of the points that no other point dominates, ascending: O(n² · objectives).
  ///
  /// A point dominates another if it is at least as good in every objective and better in one; equal points
  /// do not dominate each other, so both stay.
  ///
  /// - Precondition: every point has one finite value per objective, and no objective is neutral.
  package static func indices(of points: [[Double]], objectives: [Polarity]) -> [Int] {
    precondition(!objectives.contains(.neutral), "an objective has a better direction")
    precondition(
      points.allSatisfy { $0.count == objectives.count && $0.allSatisfy(\.isFinite) },
      "a point has one finite value per objective")
    return points.indices.filter { index in
      !points.contains { dominates($0, points[index], objectives) }
    }
  }

  private static func dominates(
    _ left: [Double], _ right: [Double], _ objectives: [Polarity]
  ) -> Bool {
    var isBetterSomewhere = false
    for (index, polarity) in objectives.enumerated() where left[index] != right[index] {
      let isBetter =
        polarity == .higherIsBetter ? left[index] > right[index] : left[index] < right[index]
      guard isBetter else { return false }
      isBetterSomewhere = true
    }
    return isBetterSomewhere
  }
}
