import CacheModel
import Metrics
import NormalizedCache

/// A cache of some size, and an operation whose cost should not depend on it.
protocol CostSubject: AnyObject {
  /// The time of each of a number of operations, in nanoseconds; what prepares them is not timed.
  func measureBlock(of operations: Int, clock: ContinuousCacheClock) async -> [Int64]
}

/// Measures two subjects in turns.
///
/// Both stand in one process, and their blocks alternate as A B B A, so that a change of the machine's
/// speed falls on both alike.
struct InterleavedBlocks {
  var blockLength: Int
  var blocks: Int
  var clock = ContinuousCacheClock()

  /// The ratio of the medians, `much` over `little`, and how many operations of each stand behind it;
  /// `nil` where there are none.
  func ratio(
    of much: some CostSubject, to little: some CostSubject
  ) async -> (ratio: Double?, samples: Int) {
    // One block each to warm up.
    _ = await little.measureBlock(of: blockLength, clock: clock)
    _ = await much.measureBlock(of: blockLength, clock: clock)
    var littleTimes: [Int64] = []
    var muchTimes: [Int64] = []
    for pair in 0..<blocks {
      if pair.isMultiple(of: 2) {
        littleTimes += await little.measureBlock(of: blockLength, clock: clock)
        muchTimes += await much.measureBlock(of: blockLength, clock: clock)
      } else {
        muchTimes += await much.measureBlock(of: blockLength, clock: clock)
        littleTimes += await little.measureBlock(of: blockLength, clock: clock)
      }
    }
    return (Self.ratio(ofMedians: muchTimes, littleTimes), muchTimes.count)
  }

  /// The median of one over that of the other; `nil` where either has none, or is zero.
  static func ratio(ofMedians numerator: [Int64], _ denominator: [Int64]) -> Double? {
    guard let above = SampleSummary(numerator).quantile(.p50),
      let below = SampleSummary(denominator).quantile(.p50), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }
}
