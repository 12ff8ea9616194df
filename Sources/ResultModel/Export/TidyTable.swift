package import Text

/// The tidy long form: one row per value, the same columns for every kind of result.
package enum TidyTable {
  package static let columns = [
    "scenario", "policy", "seed", "class", "metric", "statistic", "value", "unit", "noise_class",
    "n", "ci_low", "ci_high", "schema_version",
  ]

  package static let header = columns.joined(separator: ",")

  /// Returns the rows as CSV, in the order given; an empty cell is a missing value.
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
  package func checkStatistic() throws(ExportError) {
    guard metric.statistics.contains(statistic) else {
      throw .unknownStatistic(statistic, metric: metric)
    }
  }

  /// Returns one of the row's numbers in machine form; throws an error that names the row.
  package func number(_ value: MetricValue) throws(ExportError) -> String {
    do {
      return try MachineNumber.text(value)
    } catch {
      throw .value(of: identity.description, problem: error.description)
    }
  }
}

extension TidyTable {
  /// A file in the tidy form, read back.
  package struct Contents: Hashable, Sendable {
    /// The schema version of all rows; `nil` without rows.
    package let schemaVersion: Int?
    package let rows: [ResultRow]
    /// The additional columns after those of the tidy form.
    package let addedColumns: [String]
    /// The cells of the additional columns, by row.
    package let added: [[String]]
  }

  /// Reads the output of `csv(_:)` strictly: the same columns, plain numbers, the registry's units.
  ///
  /// An unknown metric or statistic is an error: a file of another version has another meaning.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - added: the expected additional columns, as ``AddedColumns`` wrote them; `nil`: any.
  /// - Returns: the contents.
  /// - Throws: an error with the cause, if it is not such a file.
  package static func read(
    _ bytes: [UInt8], added: [String]? = []
  ) throws(CSVError) -> Contents {
    var reader = try CSVReader(bytes)
    let first = try reader.next()?.cells ?? []
    let added = added ?? first.dropFirst(columns.count).map(CSVReader.unguarded)
    let expected = columns + added
    guard first.map(CSVReader.unguarded) == expected else {
      throw CSVError(line: 1, cause: .header(expected: expected.joined(separator: ",")))
    }
    var version: Int?
    var rows: [ResultRow] = []
    var cells: [[String]] = []
    while let record = try reader.next() {
      let line = try TidyLine(record, cellCount: expected.count)
      if let version, version != line.schemaVersion {
        throw CSVError(
          line: record.line,
          cause: .mixedSchemaVersions(first: version, found: line.schemaVersion))
      }
      version = line.schemaVersion
      rows.append(line.row)
      cells.append(record.cells.dropFirst(columns.count).map(CSVReader.unguarded))
    }
    return Contents(
      schemaVersion: version, rows: rows, addedColumns: added, added: added.isEmpty ? [] : cells)
  }
}

private struct TidyLine {
  let row: ResultRow
  let schemaVersion: Int

  init(_ record: CSVReader.Record, cellCount: Int) throws(CSVError) {
    guard record.cells.count == cellCount else {
      throw CSVError(
        line: record.line,
        cause: .cellCount(found: record.cells.count, expected: cellCount))
    }
    func cell(_ index: Int) -> String { record.cells[index] }
    func mismatch(_ index: Int, _ expected: String) -> CSVError {
      CSVError(
        line: record.line,
        cause: .cell(column: TidyTable.columns[index], text: cell(index), expected: expected))
    }
    func number(_ index: Int) throws(CSVError) -> MetricValue? {
      guard !cell(index).isEmpty else { return nil }
      guard let value = MachineNumber.value(cell(index)) else {
        throw mismatch(index, "a number of at most 1e100")
      }
      return value
    }
    func natural<Number: FixedWidthInteger>(_ index: Int) throws(CSVError) -> Number {
      guard let value = Number(cell(index)), value >= 0, String(value) == cell(index) else {
        throw mismatch(index, "a whole number from 0 to \(Number.max)")
      }
      return value
    }
    guard let name = ResultClass(text: CSVReader.unguarded(cell(3))) else {
      throw mismatch(3, "a class, such as file or single/hot")
    }
    guard let metric = MetricRegistry.named(cell(4)) else {
      throw mismatch(4, "a metric of this version, which `tidemark list metrics` names")
    }
    guard let statistic = Statistic(rawValue: cell(5)), metric.statistics.contains(statistic) else {
      let known = metric.statistics.map(\.rawValue).joined(separator: ", ")
      throw mismatch(5, "a statistic of \(metric.name), which has \(known)")
    }
    guard cell(7) == metric.unit.rawValue else { throw mismatch(7, metric.unit.rawValue) }
    guard cell(8) == metric.noiseClass.rawValue else {
      throw mismatch(8, metric.noiseClass.rawValue)
    }
    row = ResultRow(
      scenario: CSVReader.unguarded(cell(0)), policy: CSVReader.unguarded(cell(1)),
      seed: cell(2).isEmpty ? nil : try natural(2), class: name,
      metric: metric, statistic: statistic, value: try number(6),
      sampleCount: cell(9).isEmpty ? nil : try natural(9),
      confidenceInterval: try Self.interval(
        low: try number(10), high: try number(11), error: mismatch(11, "the end of an interval")))
    schemaVersion = try natural(12)
  }

  private static func interval(
    low: MetricValue?, high: MetricValue?, error: CSVError
  ) throws(CSVError) -> ClosedRange<Double>? {
    switch (low?.asDouble, high?.asDouble) {
    case (nil, nil): return nil
    case (let low?, let high?) where low <= high: return low...high
    default: throw error
    }
  }
}

extension CSVError.Cause {
  static func mixedSchemaVersions(first: Int, found: Int) -> CSVError.Cause {
    .content("schema version \(found) in a file of version \(first)")
  }
}

/// Additional text columns after those of every result.
package struct AddedColumns: Hashable, Sendable {
  package var names: [String]
  /// One cell per name for each row; a row without cells has empty ones.
  package var cells: [[String]]

  package init(names: [String], cells: [[String]]) {
    self.names = names
    self.cells = cells
  }

  /// Returns the cells of a row, as many as there are names.
  package func cells(ofRow row: Int) -> [String] {
    let own = cells.indices.contains(row) ? cells[row] : []
    return names.indices.map { own.indices.contains($0) ? own[$0] : "" }
  }
}

/// Why results cannot be written; every case is a fault of the run.
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

extension MachineNumber {
  /// Returns the shortest text that parses to the same value; whole numbers have no decimal point.
  package static func text(_ value: MetricValue) throws(NotFinite) -> String {
    switch value {
    case .integer(let value): return String(value)
    case .real(let value): return try text(value)
    }
  }

  package static func value(_ text: String) -> MetricValue? {
    value(text, whole: MetricValue.integer, real: MetricValue.real)
  }
}
