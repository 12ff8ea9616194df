import CacheModel
package import Metrics
import NormalizedCache

/// Compares the cost of an update beside few and beside many unrelated cached queries.
///
/// Both caches hold the same hot population, receive the same events and stand in one process; blocks
/// of updates alternate as A B B A, so that a change of the machine's speed falls on both alike. The
/// events are applied to the store directly: an actor hop costs the same beside any number of
/// queries, and would only dilute the ratio.
package struct UpdateCostRun: Sendable {
  package var fewQueries = 100
  package var manyQueries = 100_000
  /// Updates in a block, and blocks of each cache.
  package var blockLength = 100
  package var blocks = 100
  private let seed: UInt64
  private let clock = ContinuousCacheClock()
  private let progress: @Sendable (String) -> Void

  package init(seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.seed = seed
    self.progress = progress
  }

  /// The row of the ratio of medians; above 1 the many make updates dearer.
  ///
  /// - Throws: `CompositionError`.
  package func run(scenario: String) throws -> [ResultRow] {
    progress("update cost: beside \(fewQueries) and beside \(manyQueries) unrelated queries")
    let library = FileLibrary.standard(seed: seed)
    let few = try UpdateTarget(library: library, unrelatedQueries: fewQueries)
    let many = try UpdateTarget(library: library, unrelatedQueries: manyQueries)
    // One block each to warm up; then A B B A.
    measureBlock(of: few)
    measureBlock(of: many)
    var fewTimes: [Int64] = []
    var manyTimes: [Int64] = []
    for pair in 0..<blocks {
      if pair % 2 == 0 {
        fewTimes += measureBlock(of: few)
        manyTimes += measureBlock(of: many)
      } else {
        manyTimes += measureBlock(of: many)
        fewTimes += measureBlock(of: few)
      }
    }
    return [
      ResultRow(
        scenario: scenario, policy: "", seed: seed, metric: "update_cost_ratio",
        value: Self.ratio(ofMedians: manyTimes, fewTimes).map { .real($0) },
        sampleCount: manyTimes.count)
    ]
  }

  /// The median of one over that of the other; `nil` where either has none, or is zero.
  static func ratio(ofMedians numerator: [Int64], _ denominator: [Int64]) -> Double? {
    guard let above = SampleSummary(numerator).quantile(.p50),
      let below = SampleSummary(denominator).quantile(.p50), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }

  @discardableResult
  private func measureBlock(of target: UpdateTarget) -> [Int64] {
    (0..<blockLength).map { _ in
      let event = target.nextEvent()
      let before = clock.now
      target.apply(event)
      return clock.now.nanoseconds - before.nanoseconds
    }
  }
}
