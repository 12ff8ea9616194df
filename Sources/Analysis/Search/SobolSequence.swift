import CacheModel

/// Sobol's low-discrepancy points, plain or scrambled, by their number.
///
/// The direction numbers are those of Joe and Kuo ("Constructing Sobol sequences with better
/// two-dimensional projections", SIAM Journal on Scientific Computing 30, 2008), the order is that of Gray
/// codes as libraries use it. Scrambling is Owen's ("Randomly permuted (t,m,s)-nets and (t,s)-sequences",
/// 1995): each digit is flipped by a hash of the digits before it, so that no state is kept and the points
/// are the same everywhere.
package struct SobolSequence: Sendable {
  package static let maximumDimensions = 21

  package let dimensions: Int

  /// - Precondition: 1 to ``maximumDimensions``.
  package init(dimensions: Int) {
    precondition(
      (1...Self.maximumDimensions).contains(dimensions), "\(dimensions) dimensions of Sobol points")
    self.dimensions = dimensions
  }

  /// A point as fractions of 2³², without scrambling.
  package func digits(_ number: Int) -> [UInt32] {
    let gray = UInt32(truncatingIfNeeded: number ^ (number >> 1))
    return (0..<dimensions).map { dimension in
      let directions = Self.directions[dimension]
      return directions.indices.reduce(UInt32(0)) { digits, bit in
        gray >> UInt32(bit) & 1 == 1 ? digits ^ directions[bit] : digits
      }
    }
  }

  /// A point in 0 ..< 1, scrambled.
  package func scrambledPoint(_ number: Int, seed: UInt64) -> [Double] {
    digits(number).enumerated().map { dimension, digits in
      Double(Self.scrambled(digits, dimension: dimension, seed: seed)) * 0x1p-32
    }
  }

  private static func scrambled(_ digits: UInt32, dimension: Int, seed: UInt64) -> UInt32 {
    var result = digits
    for bit in 0..<32 {
      // The digits before this one, marked by how many there are.
      let prefix = UInt64(digits) >> UInt64(32 - bit) | UInt64(1) << UInt64(bit)
      let hash = mix(mix(seed ^ mix(UInt64(dimension) &+ 1)) ^ prefix)
      if hash >> 63 == 1 { result ^= 1 << UInt32(31 - bit) }
    }
    return result
  }

  /// The finaliser of SplitMix64.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// For each dimension, what each bit of the Gray code adds.
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
