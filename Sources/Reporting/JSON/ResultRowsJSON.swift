package import ResultModel
import Text

/// Result rows as JSON, with the columns of the tidy CSV as members; missing is `null`.
package enum ResultRowsJSON {
  /// One array with one object per row, each on one line.
  package static func array(
    _ rows: [ResultRow], added: AddedColumns? = nil
  ) throws(ExportError) -> [UInt8] {
    var bytes = Array("[".utf8)
    for (index, row) in rows.enumerated() {
      bytes += Array((index == 0 ? "\n" : ",\n").utf8)
      let more = zip(added?.names ?? [], added?.cells(ofRow: index) ?? []).map { name, cell in
        JSONMember(name, cell.isEmpty ? .null : .string(cell))
      }
      bytes += try line(row, more).dropLast()
    }
    bytes += Array("\n]\n".utf8)
    return bytes
  }

  private static func line(
    _ row: ResultRow, _ more: [JSONMember]
  ) throws(ExportError) -> [UInt8] {
    try row.checkStatistic()
    do {
      return try JSONWriter.line(.object(members(row) + more))
    } catch {
      throw .value(of: row.identity.description, problem: error.description)
    }
  }

  private static func members(_ row: ResultRow) -> [JSONMember] {
    [
      JSONMember("scenario", .string(row.scenario)),
      JSONMember("policy", .string(row.policy)),
      JSONMember("seed", row.seed.map(JSONValue.unsigned) ?? .null),
      JSONMember("class", .string(row.class.description)),
      JSONMember("metric", .string(row.metric.name)),
      JSONMember("statistic", .string(row.statistic.rawValue)),
      JSONMember("value", JSONValue(row.value)),
      JSONMember("unit", .string(row.metric.unit.rawValue)),
      JSONMember("noise_class", .string(row.metric.noiseClass.rawValue)),
      JSONMember("n", row.sampleCount.map { .integer($0) } ?? .null),
      JSONMember("ci_low", row.confidenceInterval.map { .real($0.lowerBound) } ?? .null),
      JSONMember("ci_high", row.confidenceInterval.map { .real($0.upperBound) } ?? .null),
      JSONMember("schema_version", .integer(ResultSchema.version)),
    ]
  }
}

extension JSONValue {
  /// The value, or null where there is none.
  init(_ value: MetricValue?) {
    switch value {
    case nil: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    }
  }
}
