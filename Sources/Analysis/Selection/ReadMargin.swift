package import ResultModel

/// Why one contender served more fresh reads than another: read by read, what became of the same read.
///
/// Both met the same stream, so their reads pair up. Reads that both served fresh, or neither, explain
/// nothing and are not here.
package struct ReadMargin: Hashable, Sendable {
  /// The reads that one outcome took from either side.
  package struct Cause: Hashable, Sendable {
    /// The metric that counts the outcome: `.missExpired`, `.hitStale`.
    package let outcome: Metric
    /// Reads that the runner-up ended so, and the winner served fresh.
    package fileprivate(set) var lost: Int
    /// Reads that the winner ended so, and the runner-up served fresh.
    package fileprivate(set) var regained: Int

    /// What the outcome adds to the margin; negative where it cost the winner more.
    package var net: Int { lost - regained }

    package init(outcome: Metric, lost: Int, regained: Int) {
      self.outcome = outcome
      self.lost = lost
      self.regained = regained
    }
  }

  /// In the order in which the outcomes were first counted.
  package private(set) var causes: [Cause] = []

  package init() {}

  /// Counts reads that ended so under the winner, and so under the runner-up.
  package mutating func count(winner: Metric, runnerUp: Metric, reads: Int = 1) {
    switch (winner == .hitFresh, runnerUp == .hitFresh) {
    case (true, false): add(Cause(outcome: runnerUp, lost: reads, regained: 0))
    case (false, true): add(Cause(outcome: winner, lost: 0, regained: reads))
    case (true, true), (false, false): break
    }
  }

  private mutating func add(_ cause: Cause) {
    if let index = causes.firstIndex(where: { $0.outcome == cause.outcome }) {
      causes[index].lost += cause.lost
      causes[index].regained += cause.regained
    } else {
      causes.append(cause)
    }
  }

  /// Fresh reads of the winner less those of the runner-up.
  package var reads: Int { causes.reduce(0) { $0 + $1.net } }

  /// The causes by what they add to the margin, the largest first; of equals the one with more reads
  /// lost, then by name.
  package var ranked: [Cause] {
    causes.sorted { ($1.net, $1.lost, $0.outcome.name) < ($0.net, $0.lost, $1.outcome.name) }
  }

  /// What explains the margin best: the cause that adds most to it.
  ///
  /// `nil` where nothing adds to it, since the runner-up has as many fresh reads or more.
  package var main: Cause? { ranked.first.flatMap { $0.net > 0 ? $0 : nil } }
}
