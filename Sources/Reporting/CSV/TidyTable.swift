package import Metrics

/// The tidy long form: one row per value, the same columns for every kind of result.
package enum TidyTable {
  package static let columns = [
    "scenario", "policy", "seed", "class", "metric", "statistic", "value", "unit", "noise_class",
    "n", "ci_low", "ci_high", "schema_version",
  ]

  static let header = columns.joined(separator: ",")

  /// The rows as CSV, in the order given; an empty cell is a missing value.
  package static func csv(
    _ rows: [ResultRow], added: AddedColumns? = nil
  ) throws(ExportError) -> [UInt8] {
    var writer = CSVWriter()
    for column in columns { writer.plain(column) }
    for column in added?.names ?? [] { writer.text(column) }
    writer.endLine()
    for (index, row) in rows.enumerated() {
      let metric = try row.descriptor()
      writer.text(row.scenario)
      writer.text(row.policy)
      writer.plain(row.seed.map(String.init) ?? "")
      writer.text(row.class)
      writer.plain(row.metric)
      writer.plain(row.statistic)
      writer.plain(try row.value.map { value throws(ExportError) in try row.number(value) } ?? "")
      writer.plain(metric.unit.rawValue)
      writer.plain(metric.noiseClass.rawValue)
      writer.plain(row.sampleCount.map(String.init) ?? "")
      let interval = row.confidenceInterval
      writer.plain(
        try interval.map { value throws(ExportError) in try row.number(.real(value.lowerBound)) }
          ?? "")
      writer.plain(
        try interval.map { value throws(ExportError) in try row.number(.real(value.upperBound)) }
          ?? "")
      writer.plain(String(ResultSchema.version))
      for cell in added?.cells(ofRow: index) ?? [] { writer.text(cell) }
      writer.endLine()
    }
    return writer.bytes
  }
}

extension ResultRow {
  /// What the registry says about the row's metric.
  func descriptor() throws(ExportError) -> MetricDescriptor {
    guard let metric = MetricRegistry.named(self.metric) else { throw .unknownMetric(self.metric) }
    guard metric.allows(statistic: statistic) else {
      throw .unknownStatistic(statistic, metric: metric.name)
    }
    return metric
  }

  /// The machine form of one of the row's numbers, or an error that names the row.
  func number(_ value: MetricValue) throws(ExportError) -> String {
    do {
      return try MachineNumber.text(value)
    } catch {
      throw .value(of: identity.description, problem: error.description)
    }
  }
}
