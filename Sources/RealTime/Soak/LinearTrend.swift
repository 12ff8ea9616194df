/// A straight line through points, by least squares, and how sure its slope is.
struct LinearTrend: Hashable, Sendable {
  let slope: Double
  /// Of the slope.
  let standardError: Double

  /// 95 %, by the normal distribution.
  var interval: ClosedRange<Double> {
    slope - 1.96 * standardError...slope + 1.96 * standardError
  }

  /// Fits the line.
  ///
  /// The standard error takes neighbours for related, as samples of one quantity over time are: it
  /// weighs the products of residuals up to `lag` samples apart, falling off in a line. Source: Newey
  /// and West, Econometrica 55(3), 1987.
  ///
  /// - Returns: `nil` for fewer than three points, or where all have one `x`.
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
