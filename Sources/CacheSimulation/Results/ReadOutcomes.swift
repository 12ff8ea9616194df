package import ResultModel

/// What became of every read of the user's that counts, client by client, in the order of the scripts.
///
/// Two runs of one workload have the same reads, so they can be compared read by read.
package struct ReadOutcomes: Sendable {
  /// The place of the outcome in `Outcome.allCases` for each action of the scripts, or ``none``.
  private(set) var places: [UInt8] = []

  /// An action that reads nothing, or not in the counted part of the run.
  static let none = UInt8.max

  mutating func append(_ client: [UInt8]) { places += client }

  /// How often two runs of one workload differed in what they served fresh.
  ///
  /// - Parameter other: of another policy on the same workload.
  /// - Returns: by the other's outcome, the reads that this run alone served fresh; and by
  ///   this run's, those that the other alone did. In the order of the outcomes.
  package func freshHits(
    against other: ReadOutcomes
  ) -> (gained: [(outcome: Metric, reads: Int)], lost: [(outcome: Metric, reads: Int)]) {
    precondition(places.count == other.places.count, "outcomes of two workloads")
    let fresh = UInt8(Outcome.hitFresh.ordinal)
    var gained = [Int](repeating: 0, count: Outcome.allCases.count)
    var lost = gained
    for (own, theirs) in zip(places, other.places) where own != theirs {
      // A user who waits may not come to every read.
      if own == fresh, theirs != Self.none { gained[Int(theirs)] += 1 }
      if theirs == fresh, own != Self.none { lost[Int(own)] += 1 }
    }
    func named(_ counts: [Int]) -> [(outcome: Metric, reads: Int)] {
      zip(Outcome.allCases, counts).filter { $0.1 > 0 }.map { ($0.0.metric, $0.1) }
    }
    return (named(gained), named(lost))
  }
}
