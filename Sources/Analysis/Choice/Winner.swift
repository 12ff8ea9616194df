/// Which policy to ship for a scenario, and what decided it.
package struct Winner: Hashable, Sendable {
  /// The first criterion that told the winner from the runner-up.
  package enum Criterion: Hashable, Sendable, CaseIterable {
    case freshHitRatio
    case bytesFetched
    case peakResidentWeight
    /// Equal in all three: the first in the order given is named, and nothing is claimed.
    case none
  }

  /// The rule in the words that a report prints; bounds do not compete.
  package static let rule =
    "highest fresh hit ratio; within 0.1 points, fewest bytes fetched; then lowest peak weight"

  /// Ratios closer than this are a tie: a tenth of a percentage point.
  package static let tie = 0.001

  package let winner: Contender
  /// `nil` where there was one contender.
  package let runnerUp: Contender?
  package let decidedBy: Criterion

  /// The winner among the contenders, or `nil` without any; bounds must have been left out.
  package init?(among contenders: [Contender]) {
    guard let winner = Self.best(of: contenders) else { return nil }
    self.winner = winner
    runnerUp = Self.best(of: contenders.filter { $0.policy != winner.policy })
    decidedBy = runnerUp.map { Self.criterion(between: winner, and: $0) } ?? .none
  }

  /// Fresh hit ratio of the winner less that of the runner-up; may be slightly negative where fewer
  /// bytes decided a tie.
  package var marginInFreshHitRatio: Double? {
    runnerUp.map { winner.freshHitRatio - $0.freshHitRatio }
  }

  private static func best(of contenders: [Contender]) -> Contender? {
    guard let highest = contenders.map(\.freshHitRatio).max() else { return nil }
    let tied = contenders.filter { highest - $0.freshHitRatio <= tie }
    // The first of equals wins, so the order given is the last word.
    return tied.reduce(nil as Contender?) { best, next in
      guard let best else { return next }
      return cost(next) < cost(best) ? next : best
    }
  }

  private static func cost(_ contender: Contender) -> (Double, Double) {
    (contender.bytesFetched, contender.peakResidentWeight)
  }

  private static func criterion(between winner: Contender, and other: Contender) -> Criterion {
    if abs(winner.freshHitRatio - other.freshHitRatio) > tie { return .freshHitRatio }
    if winner.bytesFetched != other.bytesFetched { return .bytesFetched }
    if winner.peakResidentWeight != other.peakResidentWeight { return .peakResidentWeight }
    return .none
  }
}
