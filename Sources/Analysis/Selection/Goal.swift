package import ResultModel

/// What a scenario asks of the cache that is shipped for it.
package struct Goal: Hashable, Sendable {
  package enum Direction: String, Hashable, Sendable {
    case maximise
    case minimise
  }

  /// The largest difference of means too small to choose by.
  package enum Zone: Hashable, Sendable {
    /// In the unit of the objective; 0.005 of a ratio is half a point.
    case absolute(Double)
    /// As a share of the best mean.
    case relative(Double)

    /// Half of the zone's width about zero, in the unit of the objective.
    package func width(best: Double) -> Double {
      switch self {
      case .absolute(let width): width
      case .relative(let share): share * abs(best)
      }
    }

    /// Half a point of a ratio, 2 % of anything else.
    package static func usual(for unit: MetricUnit) -> Zone {
      unit == .ratio ? .absolute(0.005) : .relative(0.02)
    }
  }

  package let objective: Figure
  package let direction: Direction
  package let zone: Zone
  /// How many fresh reads a stale one cancels; 0 where the objective is not fresh reads.
  package let staleWeight: Double
  /// All that must be kept: the limits of the cache first, then what the scenario says.
  package let constraints: [Constraint]

  /// A rule by any figure, within the usual zone of its unit unless another is given.
  ///
  /// The limits of the cache are bound besides `subjectTo`; `limits` is `nil` only for results from
  /// before `over_limit` was measured.
  package init(
    _ direction: Direction, _ objective: Figure, zone: Zone? = nil,
    subjectTo: [Constraint] = [], limits: Constraint? = .withinLimits
  ) {
    self.init(
      direction, objective, staleWeight: 0, zone: zone,
      constraints: [limits].compactMap(\.self) + subjectTo)
  }

  /// The usual rule: the most fresh reads, a stale one counting −`staleWeight`.
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

  /// The rule that seeks something else under the same constraints, within the usual zone.
  package func seeking(_ direction: Direction, _ objective: Figure) -> Goal {
    Goal(direction, objective, staleWeight: 0, zone: nil, constraints: constraints)
  }

  /// The rule under more constraints.
  package func subject(to more: [Constraint]) -> Goal {
    Goal(
      direction, objective, staleWeight: staleWeight, zone: zone, constraints: constraints + more)
  }

  /// What tells equivalent contenders apart, in this order; less of each is better.
  package static let preferences: [Figure] = [.readWait, .bytesReceived, .peakMemory]

  /// The difference of two means, as a share of the smaller, from which on a preference counts.
  package static let smallestPreference = 0.01

  /// The figures without which no policy can compete.
  package var requiredFigures: [Figure] {
    constraints.reduce(into: [objective]) { figures, constraint in
      if !figures.contains(constraint.figure) { figures.append(constraint.figure) }
    }
  }
}
