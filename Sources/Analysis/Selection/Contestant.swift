/// A contender with all that was seen of it.
struct Contestant: Sendable {
  let name: String
  var fate = Standing.Fate.left
  /// As of the last look that it took part in.
  var judgements: [ConstraintJudgement] = []
  var comparison: Standing.Comparison?
  private(set) var sample: ObservedSample

  init(name: String) {
    self.name = name
    sample = ObservedSample(contender: name, seedCount: 0, columns: [])
  }

  var isLeft: Bool { fate == .left }

  /// Whether it may be shipped: no constraint is broken, or in doubt.
  var isFeasible: Bool { judgements.allSatisfy { $0.outcome == .holds } }

  mutating func take(_ next: ObservedSample, requiring figures: [Figure]) {
    if sample.seedCount == 0 { sample = next } else { sample.append(next) }
    let missing = figures.filter { sample.complete($0) == nil }
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

  func standing(by rule: ShipRule) -> Standing {
    Standing(
      contender: name, fate: fate, seeds: sample.seedCount,
      objective: MeanInterval(of: values(rule.objective)), judgements: judgements,
      comparison: comparison)
  }
}
