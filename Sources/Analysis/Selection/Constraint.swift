package import ResultModel

/// What a contender must keep to be shipped, however well it does otherwise.
package struct Constraint: Hashable, Sendable {
  /// What must lie within the limit.
  package enum Scope: Hashable, Sendable {
    /// The true mean, as far as the seeds tell.
    case mean
    /// The value of each single seed.
    case everySeed
  }

  package let figure: Figure
  package let comparison: Target.Comparison
  /// In the unit of the figure; a value equal to it keeps it.
  package let limit: Double
  package let scope: Scope

  package init(
    _ figure: Figure, _ comparison: Target.Comparison, _ limit: Double, scope: Scope = .mean
  ) {
    self.figure = figure
    self.comparison = comparison
    self.limit = limit
    self.scope = scope
  }

  /// No limit of a cache is exceeded in any seed: what needed more than it was given has won nothing.
  package static let withinLimits = Constraint(.overLimit, .atMost, 1, scope: .everySeed)

  package func isKept(by value: Double) -> Bool {
    switch comparison {
    case .atMost: value <= limit
    case .atLeast: value >= limit
    }
  }

  /// How far beyond the limit a value lies, in the unit of the figure; negative within it.
  package func excess(of value: Double) -> Double {
    comparison == .atMost ? value - limit : limit - value
  }
}

/// How a contender stands to a constraint after some seeds.
package struct ConstraintJudgement: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The whole interval of the mean lies within the limit; of every seed, all values so far.
    case holds
    /// The whole interval lies beyond it; of every seed, one value does.
    case fails
    /// The limit lies inside the interval, or there is no interval yet.
    case notDecided
  }

  package let constraint: Constraint
  package let outcome: Outcome
  /// The mean, or the worst seed's value where every seed is bound; in the unit of the figure.
  package let value: Double
  /// Student's 95 % interval of the mean; `nil` of one seed.
  package let interval: MeanInterval?

  /// - Returns: `nil` without values.
  package init?(_ constraint: Constraint, values: [Double]) {
    guard let worst = values.max(by: { constraint.excess(of: $0) < constraint.excess(of: $1) })
    else { return nil }
    self.constraint = constraint
    interval = MeanInterval(of: values)
    switch constraint.scope {
    case .everySeed:
      value = worst
      outcome = constraint.isKept(by: worst) ? .holds : .fails
    case .mean:
      value = interval?.mean ?? worst
      switch interval.map({ (constraint.isKept(by: $0.low), constraint.isKept(by: $0.high)) }) {
      case (true, true)?: outcome = .holds
      case (false, false)?: outcome = .fails
      default: outcome = .notDecided
      }
    }
  }
}
