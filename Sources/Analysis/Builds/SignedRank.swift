/// Wilcoxon's signed-rank test of paired differences, exact, and the estimate and interval that belong to
/// it: the median of all pairwise means (Hodges and Lehmann, "Estimates of location based on rank tests",
/// Annals of Mathematical Statistics, 1963; Conover, "Practical Nonparametric Statistics", 1999,
/// section 5.7).
///
/// It asks that the differences are independent and symmetric about their centre, not that they are
/// normal: one sample that a busy machine spoilt moves it no more than any other large one.
package struct SignedRank: Sendable {
  /// The centre of the differences.
  package let estimate: Double
  /// The chance of ranks at least as lopsided, to either side, if the centre were zero.
  package let pValue: Double
  /// The mean of every difference with every other and with itself, ascending.
  private let means: [Double]
  /// The chance of each sum of ranks if the centre were zero.
  private let chances: [Double]

  /// More pairs take too long; that many processes are never run.
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
    // The sum of the positive ranks is the number of positive means. One of zero counts for neither side,
    // so that differences of zero make the test less sure, never more.
    let fromAbove = chances.suffix(from: means.count { $0 > 0 }).reduce(0, +)
    let fromBelow = chances.suffix(from: means.count { $0 < 0 }).reduce(0, +)
    pValue = min(1, 2 * min(fromAbove, fromBelow))
  }

  /// From which centre to which the test would not have refused it.
  ///
  /// - Parameter level: the share of such intervals that hold the centre, below 1.
  /// - Returns: `nil` if all differences are too few for the level.
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

  /// Each of the ranks 1 to `count` is positive or negative like a thrown coin.
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

/// Keeps the chance that any of several tests finds what is not there below a level.
///
/// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics,
/// 1979.
package enum HolmCorrection {
  /// The p values as if each were asked alone, in the order given; O(n log n).
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
