import CacheModel
package import NormalizedCache
package import ResultModel

/// The results of a soak test.
package struct SoakResult: Sendable {
  package var plan: SoakPlan
  package var link = LinkTally()
  /// The cache's statistics while it received events.
  package var statistics = CacheStatistics()
  /// The number of listings in the cache that differ from the server's.
  package var divergent = 0
  /// The number of comparisons of a view with the cache, and of differences without a notification.
  package var viewsChecked = 0
  package var missed = 0
  /// The memory of the process over time, in seconds and bytes.
  package var memory: [(x: Double, y: Double)] = []

  /// The maximum lag of autocorrelation in the memory of a process, in samples.
  private static let lag = 30
  /// The relative growth of memory over the whole soak that is tolerated.
  package static let tolerance = 0.02
  /// The minimum number of samples, one per second, to distinguish growth from warming up.
  package static let fewestSamples = 180

  /// The samples without the first quarter, in which buffers reach their size.
  private var steady: ArraySlice<(x: Double, y: Double)> {
    memory.dropFirst(memory.count / 4)
  }

  /// The growth from the first quarter to the end, in bytes, with its 95% confidence interval.
  private var growth: (bytes: Double, interval: ClosedRange<Double>)? {
    guard let trend = LinearTrend(Array(steady), lag: Self.lag), let first = steady.first,
      let last = steady.last
    else { return nil }
    let seconds = last.x - first.x
    let (low, high) = (trend.interval.lowerBound, trend.interval.upperBound)
    return (trend.slope * seconds, low * seconds...high * seconds)
  }

  /// Whether the memory significantly grows by more than the tolerance; `nil` if it was not measured, or not
  /// for long enough to distinguish growth from warming up.
  package var memoryGrows: Bool? {
    guard steady.count >= Self.fewestSamples, let growth, let first = steady.first else {
      return nil
    }
    return growth.interval.lowerBound > Self.tolerance * first.y
  }

  /// The faults; empty if there are none.
  package var faults: [String] {
    var faults: [String] = []
    if divergent > 0 { faults.append("\(divergent) listings are not the server's") }
    if missed > 0 {
      faults.append("\(missed) of \(viewsChecked) views that were compared had not been notified")
    }
    if viewsChecked == 0 { faults.append("no view was compared with the cache; soak for longer") }
    if memoryGrows == true, let growth {
      func megabytes(_ bytes: Double) -> Int { Int((bytes / 1e6).rounded()) }
      faults.append(
        "the memory of the process grows: by \(megabytes(growth.bytes)) MB, surely by "
          + "\(megabytes(growth.interval.lowerBound)) MB, where "
          + "\(Int(Self.tolerance * 100)) % of \(megabytes(steady.first?.y ?? 0)) MB are tolerated")
    }
    return faults
  }

  package var rows: [ResultRow] {
    let rows = RunRows(scenario: "soak", policy: plan.policy, seed: plan.seed)
    func count(_ metric: Metric, _ value: Int) -> ResultRow {
      rows.row(metric, .integer(Int64(value)))
    }
    return [
      rows.row(.soakDuration, .integer(plan.duration.wholeNanoseconds)),
      rows.row(.soakEventsPerSecond, .real(plan.rate)),
      count(.soakEvents, link.sent),
      count(.soakEventsLost, link.lost),
      count(.soakEventsLate, link.late),
      count(.soakEventsDuplicated, link.duplicated),
      count(.soakGaps, statistics.gapsDetected),
      count(.soakReconciles, statistics.reconciles),
      count(.soakResyncs, statistics.resyncs),
      count(.soakNotifications, statistics.notifications),
      count(.soakViewsChecked, viewsChecked),
      count(.soakNotificationsMissed, missed),
      count(.soakDivergentQueries, divergent),
      rows.row(
        .soakResidentBytes, steady.last.map { .integer(Int64($0.y)) }, count: memory.count),
      rows.row(
        .soakMemoryGrowth, growth.map { .real($0.bytes) }, count: steady.count,
        interval: growth?.interval),
    ]
  }
}

/// A straight line through points, by least squares, with the standard error of its slope.
struct LinearTrend: Hashable, Sendable {
  let slope: Double
  /// The standard error of the slope.
  let standardError: Double

  /// The 95% confidence interval, by the normal distribution.
  var interval: ClosedRange<Double> {
    slope - 1.96 * standardError...slope + 1.96 * standardError
  }

  /// Fits the line.
  ///
  /// The standard error accounts for autocorrelation, as in samples of one quantity over time: it weighs the
  /// products of residuals up to `lag` samples apart, with linearly decreasing weights. Source: Newey and
  /// West, Econometrica 55(3), 1987.
  ///
  /// - Returns: `nil` for fewer than three points, or if all have the same `x`.
  init?(_ points: [(x: Double, y: Double)], lag: Int) {
    let count = Double(points.count)
    guard points.count > 2 else { return nil }
    let meanX = points.reduce(0) { $0 + $1.x } / count
    let meanY = points.reduce(0) { $0 + $1.y } / count
    let squares = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    guard squares > 0 else { return nil }
    let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / squares
    let scores = points.map { ($0.x - meanX) * ($0.y - meanY - slope * ($0.x - meanX)) }
    var sum = scores.reduce(0) { $0 + $1 * $1 }
    for distance in 0..<min(lag, scores.count - 1) {
      let weight = 1 - Double(distance + 1) / Double(lag + 1)
      for (earlier, later) in zip(scores, scores.dropFirst(distance + 1)) {
        sum += 2 * weight * earlier * later
      }
    }
    self.slope = slope
    standardError = (max(0, sum)).squareRoot() / squares
  }
}
