/// A contender with all that was seen of it.
struct ObservedContender: Sendable {
  let name: String
  /// Whether what it takes cannot be seen, so that no limit of a cache can bind it.
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

  /// Whether it may be shipped: no constraint is broken, or in doubt.
  var isFeasible: Bool { judgements.allSatisfy { $0.outcome == .holds } }

  /// The constraints of a rule that bind it.
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

  /// The values of a figure that every seed has.
  func values(_ figure: Figure) -> [Double] { sample.complete(figure) ?? [] }

  /// The mean of a figure that every seed has.
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
