import Text

/// The tidy long form: one row per value, the same columns for every kind of result.
package enum TidyTable {
  package static let columns = [
    "scenario", "policy", "seed", "class", "metric", "statistic", "value", "unit", "noise_class",
    "n", "ci_low", "ci_high", "schema_version",
  ]

  package static let header = columns.joined(separator: ",")

  /// The rows as CSV, in the order given; an empty cell is a missing value.
  package static func csv(
    _ rows: [ResultRow], added: AddedColumns? = nil
  ) throws(ExportError) -> [UInt8] {
    var writer = CSVWriter()
    for column in columns { writer.plain(column) }
    for column in added?.names ?? [] { writer.text(column) }
    writer.endLine()
    for (index, row) in rows.enumerated() {
      try row.checkStatistic()
      writer.text(row.scenario)
      writer.text(row.policy)
      writer.plain(row.seed.map(String.init) ?? "")
      writer.text(row.class.description)
      writer.plain(row.metric.name)
      writer.plain(row.statistic.rawValue)
      writer.plain(try row.value.map { value throws(ExportError) in try row.number(value) } ?? "")
      writer.plain(row.metric.unit.rawValue)
      writer.plain(row.metric.noiseClass.rawValue)
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
  /// - Throws: ``ExportError`` where the metric is not reported in the row's statistic: no reader would
  ///   take it.
  package func checkStatistic() throws(ExportError) {
    guard metric.statistics.contains(statistic) else {
      throw .unknownStatistic(statistic, metric: metric)
    }
  }

  /// The machine form of one of the row's numbers, or an error that names the row.
  package func number(_ value: MetricValue) throws(ExportError) -> String {
    do {
      return try MachineNumber.text(value)
    } catch {
      throw .value(of: identity.description, problem: error.description)
    }
  }
}
