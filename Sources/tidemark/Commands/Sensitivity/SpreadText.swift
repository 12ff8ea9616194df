import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// What several fields at once do to the ranking, from points spread over all of them.
struct SpreadText {
  let fields: [WorkloadField]
  /// The places of the points, one for each field.
  let places: [[Double]]
  let points: [SensitivityStudy.Point]
  let study: SensitivityStudy

  var lines: [String] {
    let leaders = points.map(leader)
    let wins = study.policies.indices.map { policy in leaders.count { $0 == policy } }
    let ranked = wins.indices.sorted { wins[$0] != wins[$1] ? wins[$0] > wins[$1] : $0 < $1 }
    let shares = ranked.filter { wins[$0] > 0 }
      .map { "\(study.policies[$0]) at \(wins[$0])" }.joined(separator: ", ")
    let head = "best of \(points.count) points: \(shares)"
    guard ranked.count > 1, wins[ranked[1]] > 0 else { return [head] }
    return [head] + fields.indices.map { half(of: $0, ranked[0], over: ranked[1]) }
  }

  private func mean(_ point: SensitivityStudy.Point, _ policy: Int) -> Double {
    point.values[policy].reduce(0, +) / Double(max(point.values[policy].count, 1))
  }

  private func leader(_ point: SensitivityStudy.Point) -> Int {
    study.policies.indices.reduce(0) { best, policy in
      let (own, other) = (mean(point, policy), mean(point, best))
      return (study.direction == .maximise ? own > other : own < other) ? policy : best
    }
  }

  /// How far one is ahead of the other in either half of a field's range.
  private func half(of field: Int, _ one: Int, over other: Int) -> String {
    func lead(_ isUpper: Bool) -> String {
      let leads = points.indices.filter { (places[$0][field] >= 0.5) == isUpper }.map {
        (mean(points[$0], one) - mean(points[$0], other))
          * (study.direction == .maximise ? 1 : -1)
      }
      guard let interval = MeanInterval(of: leads) else { return "not known" }
      return study.figure.unit == .ratio
        ? "\(HumanNumber.points(interval.mean)) ± \(HumanNumber.points(interval.halfWidth)) points"
        : HumanNumber.interval(interval.mean, interval.halfWidth, unit: study.figure.unit)
    }
    return "  \(fields[field].path): \(study.policies[one]) ahead of \(study.policies[other]) by "
      + "\(lead(false)) in the lower half, by \(lead(true)) in the upper"
  }
}
