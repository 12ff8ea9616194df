package import ResultModel

/// The choices that no other choice beats in everything.
package enum ParetoFront {
  /// The indices of the points that no other point dominates, ascending: O(n² · objectives).
  ///
  /// A point dominates another if it is at least as good in every objective and better in one; equal
  /// points dominate neither, so both stay.
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
