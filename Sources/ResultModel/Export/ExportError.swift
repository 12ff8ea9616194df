/// Why results cannot be written; every case is a fault of the run that made them.
package enum ExportError: Error, Hashable, Sendable, CustomStringConvertible {
  case value(of: String, problem: String)
  case unknownStatistic(Statistic, metric: Metric)

  package var description: String {
    switch self {
    case .value(let row, let problem): "\(row): \(problem)"
    case .unknownStatistic(let statistic, let metric):
      "\(metric.name) is not reported as \(statistic.rawValue); add the statistic to it in ResultModel"
    }
  }
}
