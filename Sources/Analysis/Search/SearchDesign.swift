import CacheModel

/// Which points of the unit cube a search tries, each by its number alone.
///
/// A point depends on the design, its seed and its number, not on what was drawn before: a search that is
/// resumed, or shared out among machines, draws what a single one would, and none twice.
package enum SearchDesign: Hashable, Sendable {
  /// Independent uniform points.
  case independent(dimensions: Int)
  /// Sobol's points with Owen's scrambling: even in every block of 2, 4, 8 … points.
  case sobol(dimensions: Int)
  /// So many points, of which each axis has one in each of as many equal strata.
  case latinHypercube(dimensions: Int, count: Int)

  /// - Precondition: the number is within the design, and so are the dimensions: a Latin hypercube has
  ///   as many points as its count, Sobol's points have at most ``SobolSequence/maximumDimensions``.
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
