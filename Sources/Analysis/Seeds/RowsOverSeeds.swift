package import ResultModel

/// The rows of one policy on one workload over common seeds.
///
/// Row identities are stored once, with a value for each row and seed.
package struct RowsOverSeeds: Sendable {
  private var template: [ResultRow] = []
  private var seeds: [UInt64?] = []
  /// The observations of each row of the template, by seed.
  private var columns: [[Observation]] = []

  private struct Observation: Sendable {
    var value: MetricValue?
    var sampleCount: Int?
  }

  package init() {}

  package var seedCount: Int { seeds.count }

  /// Adds the next seed.
  ///
  /// Rows that another seed lacks, for example of a query that a user never read, had nothing to observe
  /// there.
  package mutating func append(_ rows: [ResultRow]) {
    seeds.append(rows.first?.seed)
    if template.isEmpty {
      template = rows
      columns = rows.map { _ in [] }
    }
    let isAlike =
      rows.count == template.count && zip(rows, template).allSatisfy { $0.isOfSameKind(as: $1) }
    let own = isAlike ? rows : inOrder(rows)
    for (index, row) in own.enumerated() {
      columns[index].append(Observation(value: row.value, sampleCount: row.sampleCount))
    }
  }

  /// Returns rows in the order of the template, extended by rows that it lacks.
  private mutating func inOrder(_ rows: [ResultRow]) -> [ResultRow] {
    let earlier = seedCount - 1
    for row in rows where !template.contains(where: { $0.isOfSameKind(as: row) }) {
      template.append(row)
      columns.append(Array(repeating: Observation(value: nil, sampleCount: 0), count: earlier))
    }
    return template.map { kind in
      if let row = rows.first(where: { $0.isOfSameKind(as: kind) }) { return row }
      var missing = kind
      missing.value = nil
      missing.sampleCount = 0
      return missing
    }
  }

  /// Combines the rows of one user, whose recordings each began with an empty cache: the mean of each figure,
  /// and the maximum of a peak or a maximum.
  package static func ofUser(_ recordings: [[ResultRow]], number: UInt64) -> [ResultRow] {
    var all = RowsOverSeeds()
    for rows in recordings { all.append(rows) }
    return all.means.map { row in
      var own = row
      own.seed = number
      own.confidenceInterval = nil
      return own
    }
  }

  package var eachSeed: [ResultRow] {
    seeds.indices.flatMap { seed in
      zip(template, columns).map { row, observations in
        var own = row
        own.seed = seeds[seed]
        own.value = observations[seed].value
        own.sampleCount = observations[seed].sampleCount
        return own
      }
    }
  }

  /// The rows of one seed; for several, one row each without a seed: the mean with Student's 95 % interval,
  /// and the maximum of a peak or a maximum, without one.
  ///
  /// Mean and interval have seven digits, more than the interval justifies. `n` is the number of seeds with
  /// something to observe: without stale reads there is no age of them. A value missing in one seed is
  /// missing.
  package var means: [ResultRow] {
    guard seedCount > 1 else { return eachSeed }
    return zip(template, columns).map { row, observations in
      var mean = row
      mean.seed = nil
      mean.value = nil
      mean.sampleCount = nil
      guard observations.allSatisfy({ $0.value != nil || $0.sampleCount == 0 }) else {
        return mean
      }
      let values = observations.compactMap(\.value)
      mean.sampleCount = values.count
      if row.statistic == .peak || row.statistic == .max {
        mean.value = values.max { $0.asDouble < $1.asDouble }
      } else if let interval = MeanInterval(of: values.map(\.asDouble)) {
        mean.value = .real(interval.mean.rounded(digits: 7))
        mean.confidenceInterval =
          interval.low.rounded(digits: 7)...interval.high.rounded(digits: 7)
      } else {
        mean.value = values.first
      }
      return mean
    }
  }
}

extension ResultRow {
  /// Returns whether both are of the same figure, whatever the policy and the seed.
  fileprivate func isOfSameKind(as other: ResultRow) -> Bool {
    metric == other.metric && statistic == other.statistic && self.class == other.class
  }
}

extension Double {
  /// Rounds to the nearest number with this many decimal digits, using only products and quotients.
  ///
  /// - Precondition: at most 15 digits.
  func rounded(digits: Int) -> Double {
    precondition(digits <= 15, "a double has no more")
    guard isFinite, self != 0 else { return self }
    let limit = (0..<digits).reduce(1.0) { power, _ in power * 10 }
    // Uses whole powers of ten, so that the result equals its decimal form.
    var power = 1.0
    if magnitude >= limit {
      while magnitude / power >= limit, power < 1e22 { power *= 10 }
      return (self / power).rounded() * power
    }
    while magnitude * power * 10 < limit, power < 1e22 { power *= 10 }
    return (self * power).rounded() / power
  }
}
