package import ResultModel

/// A condition that a recommended policy must meet, however good it is otherwise.
package struct Constraint: Hashable, Sendable {
  /// The values that must be within the limit.
  package enum Scope: Hashable, Sendable {
    /// The true mean, as far as the seeds show it.
    case mean
    case everySeed
  }

  package let figure: Figure
  package let comparison: Target.Comparison
  /// In the unit of the figure; a value equal to it meets the constraint.
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

  /// Requires that no limit of a cache is exceeded in any seed: a policy over a limit cannot win.
  ///
  /// Below half a percent it is not exceeded: even under a hard limit what is being edited or observed stays, and
  /// a table would show `1.00 ×`.
  package static let withinLimits = Constraint(.overLimit, .atMost, 1.004, scope: .everySeed)

  package func isKept(by value: Double) -> Bool {
    switch comparison {
    case .atMost: value <= limit
    case .atLeast: value >= limit
    }
  }

  /// Returns how far a value exceeds the limit, in the unit of the figure; negative within it.
  package func excess(of value: Double) -> Double {
    comparison == .atMost ? value - limit : limit - value
  }
}

/// Whether a contender meets a constraint after some seeds.
package struct ConstraintJudgement: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The whole interval of the mean is within the limit, or all values and nearly all of the interval; for every
    /// seed, all values so far are.
    case holds
    /// The whole interval exceeds the limit; for every seed, one value does.
    case fails
    /// The limit is inside the interval, or there is no interval yet.
    case notDecided
  }

  package let constraint: Constraint
  package let outcome: Outcome
  /// The mean, or the worst seed's value if every seed counts; in the unit of the figure.
  package let value: Double
  /// Student's 95 % interval of the mean; `nil` for one seed.
  package let interval: MeanInterval?

  /// The part of a limit by which an interval may exceed it if no value does: less than a table would show.
  ///
  /// A cache that fills its memory is at the limit in every seed, so the interval always lies partly beyond.
  private static let negligible = 0.004

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
      let margin = constraint.isKept(by: worst) ? Self.negligible * abs(constraint.limit) : 0
      let excess = interval.map { [$0.low, $0.high].map { constraint.excess(of: $0) } } ?? []
      if excess.isEmpty {
        outcome = .notDecided
      } else if excess.allSatisfy({ $0 <= margin }) {
        outcome = .holds
      } else {
        outcome = excess.allSatisfy { $0 > 0 } ? .fails : .notDecided
      }
    }
  }
}

/// A figure by which contenders are compared: a measured value of a run, or a weighted sum of several.
package struct Figure: Hashable, Sendable {
  package struct Term: Hashable, Sendable {
    package let metric: Metric
    package let statistic: Statistic
    package let weight: Double

    package init(_ metric: Metric, _ statistic: Statistic = .value, weight: Double = 1) {
      self.metric = metric
      self.statistic = statistic
      self.weight = weight
    }
  }

  /// The name in goals and reports; for a single term, the metric's name.
  package let name: String
  package let unit: MetricUnit
  /// The class of reads: the `class` of the rows.
  package let `class`: ResultClass
  package let terms: [Term]

  package init(_ name: String, unit: MetricUnit, class: ResultClass = .total, terms: [Term]) {
    self.name = name
    self.unit = unit
    self.class = `class`
    self.terms = terms
  }

  /// Creates the figure of a metric.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - statistic: `nil`: its first statistic.
  ///   - unit: the display unit; `nil`: the metric's.
  ///   - class: `nil`: all reads of the user, or the run if the metric has no classes of reads.
  package init(
    _ metric: Metric, _ statistic: Statistic? = nil, unit: MetricUnit? = nil,
    class: ResultClass? = nil
  ) {
    self.init(
      metric.name, unit: unit ?? metric.unit,
      class: `class` ?? (metric.isOfReads ? .all : .total),
      terms: [Term(metric, statistic ?? metric.statistics.first ?? .value)])
  }

  /// Returns the figure of one run, from its rows; O(rows · terms).
  ///
  /// - Returns: `nil` if a term was not measured or is not finite: a missing value never counts as zero.
  package func value(in run: some Sequence<ResultRow>) -> Double? {
    var sum = 0.0
    for term in terms {
      let row = run.first {
        $0.metric == term.metric && $0.statistic == term.statistic
          && $0.class == self.class
      }
      guard let value = row?.value?.asDouble, value.isFinite else { return nil }
      sum += term.weight * value
    }
    return sum
  }
}

extension Figure {
  /// Returns the share of reads served fresh without waiting, minus `staleWeight` times the share served
  /// stale.
  package static func freshHitRatio(staleWeight: Double = 0) -> Figure {
    guard staleWeight != 0 else { return Figure(.freshHitRatio) }
    return Figure(
      "\(Metric.freshHitRatio.name) less stale", unit: .ratio, class: .all,
      terms: [Term(.freshHitRatio), Term(.staleReadShare, weight: -staleWeight)])
  }

  fileprivate func countingUnknownHits(asFresh isFresh: Bool) -> Figure {
    Figure(
      name, unit: unit, class: self.class,
      terms: terms.map { term in
        guard term.statistic == .value, term.metric.statistics.contains(.lower) else { return term }
        let isUpper = isFresh == (term.metric.polarity == .higherIsBetter)
        return Term(term.metric, isUpper ? .upper : .lower, weight: term.weight)
      })
  }

  package static let readWait = Figure(.readWait)

  /// The bytes received by a cache, fetched and pushed.
  package static let bytesReceived = Figure(
    "\(Metric.bytesFetched.name) + \(Metric.bytesPushed.name)", unit: .bytes,
    terms: [Term(.bytesFetched), Term(.bytesPushed)])

  package static let peakMemory = Figure(.predictedBytes)

  package static let staleReadShare = Figure(.staleReadShare)

  /// The highest use of a limit divided by that limit: 1 for all of it.
  package static let overLimit = Figure(.overLimit, unit: .factor)

  /// The share of fresh hits of the client that has the lowest.
  package static let freshHitRatioOfWorstClient = Figure(.freshHitRatio, class: "worst-client")
}

/// A scenario's goal for its recommended cache.
package struct Goal: Hashable, Sendable {
  package enum Direction: String, Hashable, Sendable {
    case maximise
    case minimise
  }

  /// The largest irrelevant difference of means.
  package enum Zone: Hashable, Sendable {
    /// In the unit of the objective; 0.005 for a ratio is half a point.
    case absolute(Double)
    /// As a share of the best mean.
    case relative(Double)

    /// Returns half of the zone's width about zero, in the unit of the objective.
    package func width(best: Double) -> Double {
      switch self {
      case .absolute(let width): width
      case .relative(let share): share * abs(best)
      }
    }

    /// Returns the default zone: half a point of a ratio, 2 % of anything else.
    package static func usual(for unit: MetricUnit) -> Zone {
      unit == .ratio ? .absolute(0.005) : .relative(0.02)
    }
  }

  package let objective: Figure
  package let direction: Direction
  package let zone: Zone
  /// How many fresh hits a stale one cancels; 0 if the objective is not fresh hits.
  package let staleWeight: Double
  /// All constraints: the cache's limits first, then the scenario's.
  package let constraints: [Constraint]

  /// Creates a goal with any objective, with the default zone of its unit unless another is given.
  ///
  /// The cache's limits apply in addition to `subjectTo`; `limits` is `nil` only for results from before
  /// `over_limit` was measured.
  package init(
    _ direction: Direction, _ objective: Figure, zone: Zone? = nil,
    subjectTo: [Constraint] = [], limits: Constraint? = .withinLimits
  ) {
    self.init(
      direction, objective, staleWeight: 0, zone: zone,
      constraints: [limits].compactMap(\.self) + subjectTo)
  }

  /// The usual rule: the most fresh hits, a stale one counting −`staleWeight`.
  package static func freshReads(
    staleWeight: Double = 0, zone: Zone? = nil, subjectTo: [Constraint] = [],
    limits: Constraint? = .withinLimits
  ) -> Goal {
    Goal(
      .maximise, .freshHitRatio(staleWeight: staleWeight), staleWeight: staleWeight, zone: zone,
      constraints: [limits].compactMap(\.self) + subjectTo)
  }

  private init(
    _ direction: Direction, _ objective: Figure, staleWeight: Double, zone: Zone?,
    constraints: [Constraint]
  ) {
    self.direction = direction
    self.objective = objective
    self.staleWeight = staleWeight
    self.zone = zone ?? .usual(for: objective.unit)
    self.constraints = constraints
  }

  /// Returns a goal with another objective and the same constraints, with the default zone.
  package func seeking(_ direction: Direction, _ objective: Figure) -> Goal {
    Goal(direction, objective, staleWeight: 0, zone: nil, constraints: constraints)
  }

  /// Returns the goal with more constraints; one that it has already is not repeated.
  package func subject(to more: [Constraint]) -> Goal {
    Goal(
      direction, objective, staleWeight: staleWeight, zone: zone,
      constraints: (constraints + more).distinct { $0 })
  }

  /// The goal for caches to which the limits of others do not apply.
  package var withoutLimits: Goal {
    Goal(
      direction, objective, staleWeight: staleWeight, zone: zone,
      constraints: constraints.filter { $0 != .withinLimits })
  }

  /// Returns the goal for a recording, at one bound of its unknown hits.
  ///
  /// - Parameter isFresh: whether all hits of unknown freshness count as fresh, or as stale.
  /// - Returns: the goal.
  package func countingUnknownHits(asFresh isFresh: Bool) -> Goal {
    Goal(
      direction, objective.countingUnknownHits(asFresh: isFresh), staleWeight: staleWeight,
      zone: zone,
      constraints: constraints.map {
        Constraint(
          $0.figure.countingUnknownHits(asFresh: isFresh), $0.comparison, $0.limit,
          scope: $0.scope)
      })
  }

  /// The figures that rank equivalent contenders, in this order; less of each is better.
  package static let preferences: [Figure] = [.readWait, .bytesReceived, .peakMemory]

  /// The smallest relevant difference of two means in such a figure, as a share of the smaller.
  package static let smallestPreference = 0.01

  /// The figures without which no policy can compete.
  package var requiredFigures: [Figure] {
    constraints.reduce(into: [objective]) { figures, constraint in
      if !figures.contains(constraint.figure) { figures.append(constraint.figure) }
    }
  }

  /// All figures that a verdict uses: the required ones, and those that rank equivalent contenders.
  package var observedFigures: [Figure] {
    (requiredFigures + Self.preferences).distinct { $0 }
  }
}
