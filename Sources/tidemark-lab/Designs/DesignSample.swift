import ResultModel

/// One value of one round.
struct DesignSample: Hashable, Sendable {
  /// A design with its setting, or `control`.
  var design: String
  var measure: String
  /// Entries or rows that the cache holds; `nil`: the measure does not ask for it.
  var entries: Int?
  var statistic = Statistic.value
  var value: MetricValue
  var unit: MetricUnit
  /// The single times behind the value.
  var count = 1
  var round = 1
}
