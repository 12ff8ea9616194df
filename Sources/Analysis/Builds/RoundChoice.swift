/// Which rounds of a comparison of builds count: those in which nothing else took the machine.
///
/// Every process times a piece of work that no build changes. Where another process was on the same core,
/// that work took longer too, and by it alone a round is left out, whichever of its processes was disturbed:
/// what the builds came to has no say.
package struct RoundChoice: Sendable {
  /// How much longer the work may take than in the fastest process of all, as a share.
  package static let tolerance = 0.1

  /// Of each round, by how much its most disturbed process was slower than the fastest of all; zero where
  /// nothing was timed.
  package let excess: [Double]

  /// - Parameter controls: of each round, the times of the work, one for each process; `nil` where a
  ///   process gave none.
  package init(controls: [[Double?]]) {
    let all = controls.joined().compactMap(\.self).filter { $0 > 0 }
    guard let fastest = all.min() else {
      excess = controls.map { _ in 0 }
      return
    }
    excess = controls.map { $0.compactMap(\.self).map { $0 / fastest - 1 }.max() ?? 0 }
  }

  package func isDisturbed(_ round: Int) -> Bool { excess[round] > Self.tolerance }

  /// How many were not disturbed.
  package var undisturbed: Int { excess.indices.count { !isDisturbed($0) } }

  /// The rounds that count, in their order: the first of those that were not disturbed, and where these are
  /// too few, the least disturbed of the others.
  ///
  /// - Parameter wanted: how many.
  /// - Returns: their numbers; fewer where there are fewer.
  package func rounds(_ wanted: Int) -> [Int] {
    let order = excess.indices.sorted { first, second in
      let (one, other) = (isDisturbed(first), isDisturbed(second))
      if one != other { return other }
      return one && excess[first] != excess[second]
        ? excess[first] < excess[second] : first < second
    }
    return order.prefix(wanted).sorted()
  }
}
