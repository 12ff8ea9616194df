import ResultModel
package import Text

/// The registry of metrics for `list metrics`, for people and for scripts.
package enum MetricCatalogue {
  package static func table() -> TextTable {
    var table = TextTable(columns: [
      TextTable.Column("metric"), TextTable.Column("unit"), TextTable.Column("better"),
      TextTable.Column("noise"), TextTable.Column("statistics"), TextTable.Column("definition"),
    ])
    for metric in MetricRegistry.all {
      let better =
        switch metric.polarity {
        case .higherIsBetter: "higher"
        case .lowerIsBetter: "lower"
        case .neutral: "–"
        }
      table.append([
        metric.name, metric.unit.rawValue, better, metric.noiseClass.rawValue,
        metric.statistics.map(\.rawValue).joined(separator: " "), metric.definition,
      ])
    }
    return table
  }

  package static func json() throws(NotFinite) -> [UInt8] {
    try JSONWriter.document(
      .array(
        MetricRegistry.all.map { metric in
          .object([
            JSONMember("name", .string(metric.name)),
            JSONMember("unit", .string(metric.unit.rawValue)),
            JSONMember("polarity", .string(metric.polarity.rawValue)),
            JSONMember("noise_class", .string(metric.noiseClass.rawValue)),
            JSONMember("statistics", .array(metric.statistics.map { .string($0.rawValue) })),
            JSONMember("definition", .string(metric.definition)),
            JSONMember("not_comparable_with", .optional(metric.notComparableWith)),
            JSONMember("noise_control", .optional(metric.noiseControl?.name)),
          ])
        }))
  }
}
