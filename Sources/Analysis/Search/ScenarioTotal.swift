import ResultModel

/// Several scenarios judged as one, by blocks of one seed of each.
///
/// Ratios are averaged directly. Anything else is first divided by the reference's value, since the bytes of
/// a busy scenario would dominate those of a quiet one. A constraint applies to every scenario.
package struct ScenarioTotal: Sendable {
  package let scenarios: [String]
  package let rule: Goal
  private let own: Goal
  /// The figures with one value over all scenarios, each with its reference in each scenario.
  private let averaged: [(own: Figure, total: Figure, references: [Double])]

  /// - Parameters:
  ///   - rule: the goal of a single scenario.
  ///   - scenarios: distinct names.
  ///   - reference: a figure's mean for one common setting in the scenario of this index; used if the figure
  ///     is not a ratio.
  package init(
    _ rule: Goal, scenarios: [String], reference: (_ scenario: Int, _ figure: Figure) -> Double
  ) {
    precondition(!scenarios.isEmpty, "a total is of scenarios")
    self.scenarios = scenarios
    own = rule
    let isRatio = rule.objective.unit == .ratio
    if scenarios.count == 1 {
      averaged = []
      self.rule = rule
    } else {
      let objective = Figure(
        rule.objective.name, unit: isRatio ? .ratio : .factor, class: rule.objective.class,
        terms: rule.objective.terms)
      let constraints = scenarios.flatMap { scenario in
        rule.constraints.map {
          Constraint(
            $0.figure.within(scenario), $0.comparison, $0.limit, scope: $0.scope)
        }
      }
      self.rule = Goal(
        rule.direction, objective, zone: isRatio ? rule.zone : nil, subjectTo: constraints,
        limits: nil)
      // Equivalent contenders are ranked by the preferences, under the names of a single scenario.
      let figures = [(own: rule.objective, total: objective)]
      averaged = (figures + Goal.preferences.map { (own: $0, total: $0) }).map { figure in
        let references = scenarios.indices.map { scenario in
          figure.own.unit == .ratio ? 1 : reference(scenario, figure.own)
        }
        return (figure.own, figure.total, references.map { $0 > 0 ? $0 : 1 })
      }
    }
  }

  /// Returns one contender's values, block by block, from a sample of each scenario.
  package func sample(_ contender: String, _ samples: [ObservedSample]) -> ObservedSample {
    precondition(samples.count == scenarios.count, "a sample for each scenario")
    let blocks = samples.map(\.seedCount).min() ?? 0
    if samples.count == 1 {
      return ObservedSample(
        contender: contender, seedCount: blocks,
        columns: own.observedFigures.map { .init($0, samples[0].values($0)) })
    }
    var columns = averaged.map { figure in
      let values = samples.map { $0.values(figure.own) }
      return ObservedSample.Column(
        figure.total,
        (0..<blocks).map { block -> Double? in
          let parts = zip(values, figure.references).compactMap { values, reference in
            values[block].map { $0 / reference }
          }
          return parts.count == samples.count
            ? parts.reduce(0, +) / Double(parts.count) : nil
        })
    }
    for (scenario, sample) in zip(scenarios, samples) {
      for figure in own.constraints.map(\.figure).distinct({ $0 }) {
        columns.append(.init(figure.within(scenario), Array(sample.values(figure).prefix(blocks))))
      }
    }
    return ObservedSample(contender: contender, seedCount: blocks, columns: columns)
  }
}

extension Figure {
  fileprivate func within(_ scenario: String) -> Figure {
    Figure("\(name) in \(scenario)", unit: unit, class: self.class, terms: terms)
  }
}

/// A found setting compared with its rivals, on data that the search did not use.
package struct Judgement: Hashable, Sendable {
  /// One rival, and the found setting's lead over it.
  package struct Lead: Hashable, Sendable {
    package let rival: String
    /// Positive is better, whatever the direction; `nil` if either lacks a figure.
    package let interval: PairedInterval?
    /// The constraints violated by the rival: it is then not a rival.
    package let broken: [ConstraintJudgement]
  }

  package let found: String
  package let mean: MeanInterval?
  package let leads: [Lead]
  /// The constraints that the found setting does not provably meet.
  package let broken: [ConstraintJudgement]

  /// Returns the level at which all leads together are correct in at least 95 of 100 judgements.
  package static func level(rivals: Int) -> Double { 1 - 0.05 / Double(max(rivals, 1)) }

  /// - Precondition: all samples are of the same seeds.
  package init(of found: ObservedSample, against rivals: [ObservedSample], by rule: Goal) {
    self.found = found.contender
    let level = Self.level(rivals: rivals.count)
    let own = found.complete(rule.objective)
    mean = own.flatMap { MeanInterval(of: $0) }
    leads = rivals.map { rival in
      let theirs = rival.complete(rule.objective)
      let interval = own.flatMap { own in
        theirs.flatMap { theirs in
          rule.direction == .maximise
            ? PairedInterval(of: own, less: theirs, level: level)
            : PairedInterval(of: theirs, less: own, level: level)
        }
      }
      return Lead(
        rival: rival.contender, interval: interval,
        broken: Self.judgements(of: rival, rule).filter { $0.outcome == .fails })
    }
    broken = Self.judgements(of: found, rule).filter { $0.outcome != .holds }
  }

  private static func judgements(
    of sample: ObservedSample, _ rule: Goal
  ) -> [ConstraintJudgement] {
    rule.constraints.compactMap { constraint in
      sample.complete(constraint.figure).flatMap {
        ConstraintJudgement(constraint, values: $0)
      }
    }
  }

  /// Whether it meets every constraint, and is significantly ahead of every rival that does.
  package var isBetter: Bool {
    broken.isEmpty && !leads.isEmpty && rivals.allSatisfy { ($0.interval?.low ?? 0) > 0 }
  }

  /// The leads over rivals that keep the constraints.
  package var rivals: [Lead] { leads.filter(\.broken.isEmpty) }
}
