package import ResultModel

/// The rows of one policy on one workload over common seeds.
///
/// What names the rows is kept once, and a value for each row and seed.
package struct RowsOverSeeds: Sendable {
  /// The rows of the first seed.
  private var template: [ResultRow] = []
  private var seeds: [UInt64?] = []
  /// For each row of the template, what was observed seed by seed.
  private var columns: [[Observation]] = []

  private struct Observation: Sendable {
    var value: MetricValue?
    var sampleCount: Int?
  }

  package init() {}

  package var seedCount: Int { seeds.count }

  /// Adds the next seed.
  ///
  /// Rows of a kind that another seed lacks, as of a query that a user never asked, had nothing to observe
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

  /// Rows in the order of the template, to which kinds are added that it lacks.
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

  /// The rows of one user, whose recordings each began with an empty cache: the mean of each figure over them,
  /// and of a peak or a maximum the largest.
  ///
  /// - Parameters:
  ///   - recordings: The rows of each.
  ///   - number: The user's number, instead of a seed.
  /// - Returns: Rows without intervals.
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

  /// The rows as they were added.
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

  /// Of one seed its rows; of several one row each, without a seed: the mean with Student's 95 %
  /// interval, and of a peak or a maximum the largest without one.
  ///
  /// Mean and interval have seven digits, more than the interval leaves certain.
  /// `n` is how many seeds had something to observe: where nothing was stale there is no age of it. What is
  /// missing in one seed is missing.
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
  /// Whether both are of the same figure, whatever the policy and the seed.
  fileprivate func isOfSameKind(as other: ResultRow) -> Bool {
    metric == other.metric && statistic == other.statistic && self.class == other.class
  }
}

extension Double {
  /// The nearest number of this many decimal digits, by nothing but products and quotients.
  ///
  /// - Precondition: at most 15 digits.
  func rounded(digits: Int) -> Double {
    precondition(digits <= 15, "a double has no more")
    guard isFinite, self != 0 else { return self }
    let limit = (0..<digits).reduce(1.0) { power, _ in power * 10 }
    // Of whole powers of ten, so that the result is the number that its digits read as.
    var power = 1.0
    if magnitude >= limit {
      while magnitude / power >= limit, power < 1e22 { power *= 10 }
      return (self / power).rounded() * power
    }
    while magnitude * power * 10 < limit, power < 1e22 { power *= 10 }
    return (self * power).rounded() / power
  }
}
