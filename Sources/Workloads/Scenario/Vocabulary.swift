/// Names that rooms above or beside this one know, so that a scenario can be checked against them
/// with file, line and column.
package struct Vocabulary: Sendable {
  /// The metrics that a target may name, with the unit of each; `nil`: not checked.
  package var metrics: [Metric]?
  /// The eviction orders; `nil`: not checked.
  package var evictionOrders: [String]?

  package struct Metric: Hashable, Sendable {
    package var name: String
    package var unit: Target.Unit
    /// The statistics that it has; empty: not checked.
    package var statistics: [String]

    package init(name: String, unit: Target.Unit, statistics: [String] = []) {
      self.name = name
      self.unit = unit
      self.statistics = statistics
    }
  }

  package init(metrics: [Metric]?, evictionOrders: [String]?) {
    self.metrics = metrics
    self.evictionOrders = evictionOrders
  }

  /// Checks nothing that lies outside this room.
  package static let unchecked = Vocabulary(metrics: nil, evictionOrders: nil)
}
