/// Why results cannot be written; every case is a fault of the run that made them.
package enum ExportError: Error, Hashable, Sendable, CustomStringConvertible {
  case notFinite
  case value(of: String, problem: String)
  case unknownMetric(String)
  case unknownStatistic(String, metric: String)

  package var description: String {
    switch self {
    case .notFinite: "a value is infinite or not a number, which no format can carry"
    case .value(let row, let problem): "\(row): \(problem)"
    case .unknownMetric(let name): "no metric is called \(name); register it in Metrics"
    case .unknownStatistic(let name, let metric):
      "\(metric) is not reported as \(name); add the statistic to its descriptor in Metrics"
    }
  }
}
