package import ResultModel

/// A figure that people look at first: a column of `policies.csv` and of a baseline.
package struct MainFigure: Hashable, Sendable {
  package let metric: Metric
  package let statistic: Statistic
  package let `class`: ResultClass

  /// - Parameters:
  ///   - metric: what is measured.
  ///   - statistic: one of the metric's.
  ///   - class: `nil`: all reads of the user, or the run where the metric has no classes of reads.
  package init(_ metric: Metric, _ statistic: Statistic = .value, class: ResultClass? = nil) {
    self.metric = metric
    self.statistic = statistic
    self.class = `class` ?? (metric.isOfReads ? .all : .total)
  }

  package init(of row: ResultRow) {
    self.init(row.metric, row.statistic, class: row.class)
  }

  /// The figures of the table that `bench` prints, in its order.
  package static let ofPolicies = [
    MainFigure(.reads), MainFigure(.freshHitRatio), MainFigure(.staleReadShare),
    MainFigure(.hitRatio), MainFigure(.failed), MainFigure(.readWait, .mean),
    MainFigure(.readWait, .p95), MainFigure(.slowReadShare), MainFigure(.bytesFetched),
    MainFigure(.bytesPushed), MainFigure(.predictedBytes, .peak), MainFigure(.overLimit, .peak),
    MainFigure(.diskBytes, .peak), MainFigure(.offlineHitRatio),
  ]

  /// What a baseline has besides: what must be zero, and what explains a change.
  static let ofBaseline =
    ofPolicies + [
      MainFigure(.notificationsMissed), MainFigure(.divergentEntities),
      MainFigure(.divergentQueries), MainFigure(.writesLost), MainFigure(.duplicateWrites),
      MainFigure(.fetches), MainFigure(.evictions), MainFigure(.hitStale), MainFigure(.missCold),
      MainFigure(.missExpired), MainFigure(.missEvicted), MainFigure(.missInvalidated),
    ]

  /// The column of `policies.csv`, with the unit in its name, as in `read_wait_p95_nanoseconds`.
  var columnName: String { metric.columnName(statistic) }
}

extension MainFigure {
  /// As a gate names it, and the column of a baseline: `read_wait[all] p95`.
  var label: String {
    metric.name + (`class` == .total ? "" : "[\(`class`)]")
      + (statistic == .value ? "" : " \(statistic.rawValue)")
  }

  /// The figure of that label; `nil` for a text that is none.
  init?(label: String) {
    let words = label.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let parts = words[0].split(separator: "[", omittingEmptySubsequences: false).map(String.init)
    guard words.count <= 2, parts.count <= 2, let metric = MetricRegistry.named(parts[0]),
      let statistic = words.count == 2 ? Statistic(rawValue: words[1]) : .value,
      let name = parts.count == 2 ? ResultClass(text: String(parts[1].dropLast())) : .total
    else { return nil }
    self.init(metric, statistic, class: name)
    guard self.label == label, metric.statistics.contains(statistic) else { return nil }
  }
}

extension Metric {
  /// `metric_statistic_unit`, without what would be said twice: the statistic `value`, a unit that ends
  /// the name already.
  func columnName(_ statistic: Statistic) -> String {
    let base = statistic == .value ? name : "\(name)_\(statistic.rawValue)"
    return base.hasSuffix("_\(unit.rawValue)") ? base : "\(base)_\(unit.rawValue)"
  }
}

extension ResultRow {
  /// The value in full precision; `nil` where there is none.
  ///
  /// - Throws: ``ExportError`` for a number that no text stands for.
  func machineValue() throws(ExportError) -> String? {
    guard let value else { return nil }
    return try number(value)
  }
}
