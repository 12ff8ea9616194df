import Analysis
import CommandLineInterface
import ResultModel
import Workloads

extension Goal {
  /// What a scenario asks of the cache that is shipped for it.
  init(_ section: GoalSection) {
    let zone: Zone? = section.zone.map {
      switch $0 {
      case .points(let width): .absolute(width)
      case .share(let share): .relative(share)
      }
    }
    let constraints = section.constraints.map { limit in
      Constraint(
        Figure(limit.metric, limit.statistic), limit.comparison, limit.limit)
    }
    if section.metric == .freshHitRatio, section.seeks == .highest {
      self = .freshReads(staleWeight: section.staleWeight, zone: zone, subjectTo: constraints)
    } else {
      self.init(
        section.seeks == .highest ? .maximise : .minimise, Figure(section.metric), zone: zone,
        subjectTo: constraints)
    }
  }
}
