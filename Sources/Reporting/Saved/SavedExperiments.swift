package import ResultModel
package import Text

/// What was tried beside a run, as far as its folder has it.
package struct SavedExperiments: Sendable {
  /// `sensitivity.csv`: one field of the workload varied at a time.
  package var sensitivity: [SensitivityPoint] = []
  /// `verdict.json` of a gate: how a build compares with another.
  package var measurements: [SavedMeasurement] = []

  package init() {}
}

/// What a policy came to at one value of a field of the workload.
package struct SensitivityPoint: Hashable, Sendable {
  /// As in `network.loss`.
  package let field: String
  /// The value, as a scenario has it.
  package let value: String
  package let row: ResultRow

  /// Reads what `tidemark sensitivity --format csv` wrote.
  ///
  /// A row in which several fields have a value is of a Latin hypercube, and no point of a curve.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> [SensitivityPoint] {
    let contents = try TidyTable.read(bytes, added: nil)
    return zip(contents.rows, contents.added).compactMap { row, cells in
      let own = zip(contents.addedColumns, cells).filter { !$0.1.isEmpty }
      guard own.count == 1 else { return nil }
      return SensitivityPoint(field: own[0].0, value: own[0].1, row: row)
    }
  }
}

/// What a gate says of one figure that is counted or timed.
package struct SavedMeasurement: Hashable, Sendable, Decodable {
  package var outcome: String
  package var `class`: String
  package var metric: String
  package var rounds: Int
  /// As shares of the baseline's.
  package var change: Double?
  package var changeLow: Double?
  package var changeHigh: Double?
}
