package import ResultModel

/// Compares counts of two builds: bytes, allocations, instructions.
///
/// The same build counts the same but for a tenth of a percent, if compiler and libraries are the same.
package enum CountComparison {
  /// The change that is no news, as a share.
  package static let tolerance = 0.001

  /// A finding for each figure of the baseline; a figure that only the candidate has is new and none.
  package static func findings(
    baseline: [ResultRow], candidate: [ResultRow]
  ) -> [MeasuredFinding] {
    var after: [FigureIdentity: ResultRow] = [:]
    for row in candidate { after[row.figure] = row }
    return baseline.map { row in
      let figure = row.figure
      guard let old = value(row), let new = after[figure].flatMap(value) else {
        return MeasuredFinding(
          figure: figure, outcome: .error, baseline: value(row), reason: "it was not measured")
      }
      return MeasuredFinding(
        figure: figure, outcome: outcome(figure.metric.polarity, from: old, to: new),
        baseline: old, candidate: new, change: old == 0 ? nil : (new - old) / abs(old))
    }
  }

  private static func value(_ row: ResultRow) -> Double? {
    row.value.map(\.asDouble).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func outcome(
    _ polarity: Polarity, from old: Double, to new: Double
  ) -> MeasuredFinding.Outcome {
    guard abs(new - old) > tolerance * abs(old) else { return .same }
    let isMore = new > old
    switch polarity {
    case .lowerIsBetter: return isMore ? .worse : .better
    case .higherIsBetter: return isMore ? .better : .worse
    case .neutral: return .same
    }
  }
}
