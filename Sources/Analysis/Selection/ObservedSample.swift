package import ResultModel

/// What was measured of one contender over consecutive seeds, figure by figure.
///
/// Seeds are numbered from 0 and shared: the same number is the same stream for every contender.
package struct ObservedSample: Hashable, Sendable {
  /// One figure at each seed.
  package struct Column: Hashable, Sendable {
    package let figure: Figure
    /// `nil` where it was not measured, or is no finite number: a ratio of no reads says nothing.
    package private(set) var values: [Double?]
    /// The values, if every seed has one.
    package private(set) var complete: [Double]?

    package init(_ figure: Figure, _ values: [Double?]) {
      self.figure = figure
      self.values = []
      complete = []
      append(values)
    }

    fileprivate mutating func append(_ next: [Double?]) {
      let finite = next.map { value in value.flatMap { $0.isFinite ? $0 : nil } }
      values += finite
      let measured = finite.compactMap(\.self)
      if measured.count == finite.count { complete? += measured } else { complete = nil }
    }
  }

  package let contender: String
  /// How many seeds were run.
  package private(set) var seedCount: Int
  private var columns: [Column]

  /// - Precondition: every column has one value for each seed.
  package init(contender: String, seedCount: Int, columns: [Column]) {
    precondition(
      columns.allSatisfy { $0.values.count == seedCount }, "a figure has one value for each seed")
    self.contender = contender
    self.seedCount = seedCount
    self.columns = columns
  }

  /// The figures of some runs, one for each seed, from their rows.
  package init(contender: String, runs: [[ResultRow]], figures: [Figure]) {
    self.init(
      contender: contender, seedCount: runs.count,
      columns: figures.map { figure in Column(figure, runs.map { figure.value(in: $0) }) })
  }

  /// The values of a figure, if every seed has one.
  package func complete(_ figure: Figure) -> [Double]? {
    columns.first { $0.figure == figure }?.complete
  }

  /// The values of a figure, `nil` at seeds that have none.
  package func values(_ figure: Figure) -> [Double?] {
    columns.first { $0.figure == figure }?.values ?? Array(repeating: nil, count: seedCount)
  }

  /// The sample of some of the seeds, as another selection asks for them.
  ///
  /// - Precondition: the seeds were run.
  package subscript(seeds: Range<Int>) -> ObservedSample {
    ObservedSample(
      contender: contender, seedCount: seeds.count,
      columns: columns.map { Column($0.figure, Array($0.values[seeds])) })
  }

  /// Adds the seeds that follow; a figure that only one side has is unknown at the seeds of the other.
  ///
  /// - Precondition: both samples are of one contender.
  package mutating func append(_ next: ObservedSample) {
    precondition(next.contender == contender, "a sample is of one contender")
    for column in next.columns where !columns.contains(where: { $0.figure == column.figure }) {
      columns.append(Column(column.figure, Array(repeating: nil, count: seedCount)))
    }
    for index in columns.indices {
      let own = next.columns.first { $0.figure == columns[index].figure }
      columns[index].append(own?.values ?? Array(repeating: nil, count: next.seedCount))
    }
    seedCount += next.seedCount
  }
}
