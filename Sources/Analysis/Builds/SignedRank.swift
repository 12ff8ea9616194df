/// Wilcoxon's exact signed-rank test of paired differences, with its estimate and interval: the median of all
/// pairwise means (Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical
/// Statistics, 1963; Conover, "Practical Nonparametric Statistics", 1999, section 5.7).
///
/// It assumes that the differences are independent and symmetric about their centre, not that they are
/// normal: an outlier from a busy machine has no more influence than any other large sample.
package struct SignedRank: Sendable {
  package let estimate: Double
  /// The two-sided p-value for a centre of zero.
  package let pValue: Double
  /// The mean of every difference with every other and with itself, ascending.
  private let means: [Double]
  /// The probability of each sum of ranks if the centre were zero.
  private let chances: [Double]

  /// The maximum number of pairs: more take too long, and are never run.
  package static let mostPairs = 200

  /// O(n² log n).
  ///
  /// - Parameter differences: finite, at least one and at most ``mostPairs``.
  package init(of differences: [Double]) {
    let count = differences.count
    precondition((1...Self.mostPairs).contains(count), "\(count) differences")
    precondition(differences.allSatisfy(\.isFinite), "a difference that is no number")
    means = differences.indices.flatMap { first in
      (first..<count).map { (differences[first] + differences[$0]) / 2 }
    }.sorted()
    let middle = means.count / 2
    estimate =
      means.count.isMultiple(of: 2) ? (means[middle - 1] + means[middle]) / 2 : means[middle]
    chances = Self.chances(ofSumsOf: count)
    // The sum of the positive ranks is the number of positive means. A mean of zero counts for neither side,
    // so zero differences only make the test more conservative.
    let fromAbove = chances.suffix(from: means.count { $0 > 0 }).reduce(0, +)
    let fromBelow = chances.suffix(from: means.count { $0 < 0 }).reduce(0, +)
    pValue = min(1, 2 * min(fromAbove, fromBelow))
  }

  /// Returns the interval of centres that the test would not reject.
  package func interval(level: Double) -> ClosedRange<Double>? {
    let tail = (1 - level) / 2
    var outside = 0
    var chance = chances[0]
    while chance <= tail, outside < means.count / 2 {
      outside += 1
      chance += chances[outside]
    }
    guard outside > 0 else { return nil }
    return means[outside - 1]...means[means.count - outside]
  }

  /// Returns the distribution if each of the ranks 1 to `count` is positive or negative with equal
  /// probability.
  private static func chances(ofSumsOf count: Int) -> [Double] {
    var chances = [1.0]
    for rank in 1...count {
      var next = [Double](repeating: 0, count: chances.count + rank)
      for (sum, chance) in chances.enumerated() {
        next[sum] += chance / 2
        next[sum + rank] += chance / 2
      }
      chances = next
    }
    return chances
  }
}

/// Bounds the probability of any false positive among several tests.
///
/// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics,
/// 1979.
package enum HolmCorrection {
  /// Returns the adjusted p-values, in the order given; O(n log n).
  package static func adjusted(_ pValues: [Double]) -> [Double] {
    var adjusted = pValues
    var largest = 0.0
    let order = pValues.indices.sorted { (pValues[$0], $0) < (pValues[$1], $1) }
    for (rank, index) in order.enumerated() {
      largest = max(largest, min(1, pValues[index] * Double(pValues.count - rank)))
      adjusted[index] = largest
    }
    return adjusted
  }
}
