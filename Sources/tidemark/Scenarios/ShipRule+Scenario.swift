import Analysis
import CommandLineInterface
import ResultModel
import Workloads

extension ShipRule {
  /// What a scenario asks of the cache that is shipped for it.
  init(_ ship: GoalSection) {
    let zone: Zone? = ship.zone.map {
      switch $0 {
      case .points(let width): .absolute(width)
      case .share(let share): .relative(share)
      }
    }
    let constraints = ship.constraints.map { limit in
      Constraint(
        Figure(limit.metric, limit.statistic), limit.comparison, limit.limit)
    }
    if ship.metric == .freshHitRatio, ship.seeks == .highest {
      self = .freshReads(staleWeight: ship.staleWeight, zone: zone, subjectTo: constraints)
    } else {
      self.init(
        ship.seeks == .highest ? .maximise : .minimise, Figure(ship.metric), zone: zone,
        subjectTo: constraints)
    }
  }
}
