package import Metrics

/// The rows of one policy on one workload over common seeds: one row of each kind, with its interval.
///
/// Memory of one value for each row and seed; what names the rows is kept once.
package struct RowsOverSeeds: Sendable {
  /// The rows of the first seed.
  private var template: [ResultRow] = []
  /// For each of them, its values seed by seed.
  private var columns: [[Sample]] = []

  private enum Sample: Sendable {
    case value(MetricValue)
    /// There was nothing to observe, as of an age of stale reads where none was stale.
    case nothing
    /// It could not be measured.
    case missing
  }

  package init() {}

  package var seedCount: Int { columns.first?.count ?? 0 }

  /// Adds the next seed.
  ///
  /// - Precondition: rows of the same kinds in the same order as the first seed's.
  package mutating func append(_ rows: [ResultRow]) {
    if template.isEmpty {
      template = rows
      columns = rows.map { _ in [] }
    }
    precondition(rows.count == template.count, "every seed has the same rows")
    for (index, row) in rows.enumerated() {
      columns[index].append(
        row.value.map { .value($0) } ?? (row.sampleCount == 0 ? .nothing : .missing))
    }
  }

  /// One seed's rows as they are; of several, one row each, without a seed: the mean with Student's 95 %
  /// interval, and of a peak or a maximum the largest without one.
  ///
  /// `n` is how many seeds had something to observe. What is missing in one seed is missing.
  package var rows: [ResultRow] {
    guard seedCount > 1 else { return template }
    return zip(template, columns).map { row, samples in
      var over = row
      over.seed = nil
      over.value = nil
      var values: [MetricValue] = []
      for sample in samples {
        switch sample {
        case .value(let value): values.append(value)
        case .nothing: break
        case .missing:
          over.sampleCount = nil
          return over
        }
      }
      over.sampleCount = values.count
      if row.statistic == Statistic.peak.rawValue || row.statistic == Statistic.max.rawValue {
        over.value = values.max { $0.asDouble < $1.asDouble }
      } else if let interval = MeanInterval(of: values.map(\.asDouble)) {
        over.value = .real(interval.mean)
        over.confidenceInterval = interval.low...interval.high
      } else {
        over.value = values.first
      }
      return over
    }
  }
}
