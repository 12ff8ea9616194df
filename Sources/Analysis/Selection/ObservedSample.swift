package import ResultModel

/// The measured figures of one contender over consecutive seeds.
///
/// Seeds are numbered from 0 and shared: the same number is the same stream for every contender.
package struct ObservedSample: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package let figure: Figure
    /// `nil` if it was not measured, or is not finite, such as a ratio of no reads.
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

  /// Collects the figures of some runs, one for each seed, from their rows.
  package init(contender: String, runs: [[ResultRow]], figures: [Figure]) {
    self.init(
      contender: contender, seedCount: runs.count,
      columns: figures.map { figure in Column(figure, runs.map { figure.value(in: $0) }) })
  }

  /// Returns the values of a figure, if every seed has one.
  package func complete(_ figure: Figure) -> [Double]? {
    columns.first { $0.figure == figure }?.complete
  }

  /// Returns the values of a figure, `nil` at seeds that have none.
  package func values(_ figure: Figure) -> [Double?] {
    columns.first { $0.figure == figure }?.values ?? Array(repeating: nil, count: seedCount)
  }

  /// The sample of some of the seeds.
  ///
  /// - Precondition: the seeds were run.
  package subscript(seeds: Range<Int>) -> ObservedSample {
    ObservedSample(
      contender: contender, seedCount: seeds.count,
      columns: columns.map { Column($0.figure, Array($0.values[seeds])) })
  }

  /// Adds the seeds that follow; a figure of only one side is unknown at the seeds of the other.
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

struct ObservedContender: Sendable {
  let name: String
  /// Whether its memory is unknown, so that no cache limit can apply.
  let isMemoryUnknown: Bool
  var fate = Standing.Fate.left
  /// As of the last look that it took part in.
  var judgements: [ConstraintJudgement] = []
  var comparison: Standing.Comparison?
  private(set) var sample: ObservedSample

  init(name: String, isMemoryUnknown: Bool) {
    self.name = name
    self.isMemoryUnknown = isMemoryUnknown
    sample = ObservedSample(contender: name, seedCount: 0, columns: [])
  }

  var isLeft: Bool { fate == .left }

  /// Whether it may be recommended: every constraint is met beyond doubt.
  var isFeasible: Bool { judgements.allSatisfy { $0.outcome == .holds } }

  func constraints(of rule: Goal) -> [Constraint] {
    rule.constraints.filter { !isMemoryUnknown || $0 != .withinLimits }
  }

  mutating func take(_ next: ObservedSample, requiring rule: Goal) {
    if sample.seedCount == 0 { sample = next } else { sample.append(next) }
    let figures = [rule.objective] + constraints(of: rule).map(\.figure)
    let missing = figures.filter { sample.complete($0) == nil }
      .reduce(into: [Figure]()) { if !$0.contains($1) { $0.append($1) } }
    if !missing.isEmpty { fate = .withoutFigures(missing) }
  }

  /// Returns the values of a figure that every seed has.
  func values(_ figure: Figure) -> [Double] { sample.complete(figure) ?? [] }

  /// Returns the mean of a figure that every seed has.
  ///
  /// - Precondition: the figure is complete, and a seed was run.
  func mean(_ figure: Figure) -> Double {
    values(figure).reduce(0, +) / Double(sample.seedCount)
  }

  func standing(by rule: Goal) -> Standing {
    Standing(
      contender: name, isMemoryUnknown: isMemoryUnknown, fate: fate, seeds: sample.seedCount,
      objective: MeanInterval(of: values(rule.objective)), judgements: judgements,
      comparison: comparison)
  }
}
