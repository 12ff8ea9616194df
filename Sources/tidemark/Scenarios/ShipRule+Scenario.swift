import Analysis
import Metrics
import Workloads

extension ShipRule {
  /// What a scenario asks of the cache that is shipped for it.
  init(_ ship: ShipSection) {
    let zone: Zone? = ship.zone.map {
      switch $0 {
      case .points(let width): .absolute(width)
      case .share(let share): .relative(share)
      }
    }
    let constraints = ship.constraints.map { limit in
      Constraint(
        .of(limit.metric, Statistic(rawValue: limit.statistic) ?? .value),
        limit.comparison == .atLeast ? .atLeast : .atMost, limit.limit)
    }
    if ship.metric == "fresh_hit_ratio", ship.seeks == .highest {
      self = .freshReads(staleWeight: ship.staleWeight, zone: zone, subjectTo: constraints)
    } else {
      self.init(
        ship.seeks == .highest ? .maximise : .minimise, .of(ship.metric, nil), zone: zone,
        subjectTo: constraints)
    }
  }
}

extension Figure {
  /// A metric of all reads of the user, or of the run where it has no classes.
  ///
  /// - Parameters:
  ///   - metric: its name.
  ///   - statistic: `nil`: the first that it has.
  /// - Returns: the figure by which it is looked up.
  static func of(_ metric: String, _ statistic: Statistic?) -> Figure {
    let descriptor = MetricRegistry.named(metric)
    return Figure(
      metric, statistic ?? descriptor?.statistics.first ?? .value,
      unit: descriptor?.unit ?? .count,
      class: MetricRegistry.isOfReads(metric) ? "all" : "total")
  }
}
