import Metrics

/// Pairs the rows of two runs by identity and names what is not equal.
struct RowComparison {
  private(set) var differences: [Difference] = []
  private(set) var equalRows = 0

  private let candidate: [ResultRow]
  // Looked up, never iterated.
  private let rowByIdentity: [ResultIdentity: ResultRow]

  init(candidate: [ResultRow]) {
    self.candidate = candidate
    rowByIdentity = Dictionary(
      candidate.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func compare(baseline: [ResultRow]) {
    var baselined: Set<ResultIdentity> = []
    for row in baseline {
      baselined.insert(row.identity)
      compare(row, with: rowByIdentity[row.identity])
    }
    var seen: Set<ResultIdentity> = []
    for row in candidate {
      if !seen.insert(row.identity).inserted {
        note(row.identity, .invalid, candidate: row.value)
      } else if !baselined.contains(row.identity) {
        // A new metric that was not measured is a hole all the same.
        note(row.identity, row.isAnswer ? .unbaselined : .missing, candidate: row.value)
      }
    }
  }

  private mutating func compare(_ baseline: ResultRow, with candidate: ResultRow?) {
    guard let candidate, candidate.isAnswer else {
      note(baseline.identity, .missing, baseline: baseline.value)
      return
    }
    if candidate.value == baseline.value {
      equalRows += 1
    } else {
      let kind = Self.kind(
        of: candidate.metric.polarity, from: baseline.value, to: candidate.value)
      note(baseline.identity, kind, baseline: baseline.value, candidate: candidate.value)
    }
  }

  private mutating func note(
    _ identity: ResultIdentity, _ kind: Difference.Kind, baseline: MetricValue? = nil,
    candidate: MetricValue? = nil
  ) {
    differences.append(
      Difference(identity: identity, kind: kind, baseline: baseline, candidate: candidate))
  }

  private static func kind(
    of polarity: Polarity, from baseline: MetricValue?, to candidate: MetricValue?
  ) -> Difference.Kind {
    guard let baseline, let candidate, let rises = candidate.isGreater(than: baseline) else {
      // Observations appeared or vanished, or a whole number became a real one.
      return .changed
    }
    switch polarity {
    case .higherIsBetter: return rises ? .improved : .regressed
    case .lowerIsBetter: return rises ? .regressed : .improved
    case .neutral: return .changed
    }
  }
}

extension ResultRow {
  /// Whether the row holds a value, or says that there was nothing to observe.
  fileprivate var isAnswer: Bool { value != nil || sampleCount == 0 }
}

extension MetricValue {
  /// Which of two unequal values is greater; `nil` where they differ in kind only.
  ///
  /// Whole numbers are compared as such: beyond 2⁵³ two of them can be one double.
  fileprivate func isGreater(than other: MetricValue) -> Bool? {
    if case .integer(let mine) = self, case .integer(let theirs) = other { return mine > theirs }
    return asDouble == other.asDouble ? nil : asDouble > other.asDouble
  }
}
