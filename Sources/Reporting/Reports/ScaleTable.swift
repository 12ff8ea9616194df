package import ResultModel

/// What an operation costs in a small and in a large cache, one line for each curve.
package enum ScaleTable {
  private static let scenario = "scale"

  /// Whether a row is of a curve.
  package static func shows(_ row: ResultRow) -> Bool { row.scenario == scenario }

  /// - Parameter rows: Those that it ``shows(_:)``.
  /// - Returns: One line for each axis and operation, in their order; sizes between are left out.
  package static func table(_ rows: [ResultRow]) -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("axis"), TextTable.Column("operation"), TextTable.Column("sizes", .right),
      TextTable.Column("cost", .right), TextTable.Column("per s, largest", .right),
      TextTable.Column("exponent", .right), TextTable.Column("flat"),
    ])
    for curve in rows where curve.metric == .costExponent {
      let costs = points(.operationCost, of: curve.class, in: rows)
      let rates = points(.cacheOperationsPerSecond, of: curve.class, in: rows)
      let flat = rows.first { $0.metric == .isCostFlat && $0.class == curve.class }?.value
      table.append([
        curve.class.subject, curve.class.lane?.rawValue ?? "",
        ends(costs) { HumanNumber.count(Double($0.size)) },
        ends(costs) { HumanNumber.text($0.value, unit: .nanoseconds) },
        HumanNumber.text(rates.last?.value, unit: .perSecond),
        exponent(curve), flat.map { $0.asDouble > 0 ? "yes" : "no" } ?? "–",
      ])
    }
    return table
  }

  private typealias Point = (size: Int, value: MetricValue?)

  /// The sizes of a curve with what was measured, in the order of the rows.
  private static func points(
    _ metric: Metric, of curve: ResultClass, in rows: [ResultRow]
  ) -> [Point] {
    rows.compactMap { row in
      guard row.metric == metric, row.class.subject == curve.subject,
        row.class.lane == curve.lane, let size = row.class.size
      else { return nil }
      return (size, row.value)
    }
  }

  private static func ends(_ points: [Point], _ text: (Point) -> String) -> String {
    guard let first = points.first, let last = points.last else { return "–" }
    return "\(text(first)) … \(text(last))"
  }

  private static func exponent(_ row: ResultRow) -> String {
    guard let value = row.value?.asDouble else { return "–" }
    let text = HumanNumber.fixed(value, decimals: 2)
    guard let interval = row.confidenceInterval else { return text }
    let (low, high) = (interval.lowerBound, interval.upperBound)
    return
      "\(text) (\(HumanNumber.fixed(low, decimals: 2)) to \(HumanNumber.fixed(high, decimals: 2)))"
  }
}
