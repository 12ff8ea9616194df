/// Reads one column of a CSV file as keys: the one named key, id or object, in any case.
///
/// Every row is a read of weight one. A column named op or operation is refused rather than ignored,
/// since it says that some rows are not reads; every other column is ignored.
struct CSVDecoder: TraceDecoder {
  private let limits: TraceLimits
  private var parser: CSVRecordParser
  private var header: (columns: Int, key: Int)?

  static let keyColumns = ["key", "id", "object"]
  static let operationColumns = ["op", "operation"]

  init(limits: TraceLimits) {
    self.limits = limits
    parser = CSVRecordParser(limit: limits.recordBytes)
  }

  mutating func consume(_ bytes: Span<UInt8>, into keys: inout KeyInterner) throws(TraceError) {
    for index in bytes.indices where try parser.consume(bytes[index]) {
      try takeRecord(into: &keys)
    }
  }

  mutating func finish(into keys: inout KeyInterner) throws(TraceError) {
    if try parser.finish() { try takeRecord(into: &keys) }
  }

  private mutating func takeRecord(into keys: inout KeyInterner) throws(TraceError) {
    guard let header else {
      self.header = try readHeader()
      return
    }
    func fail(_ fault: CSVFault) -> TraceError { .csv(line: parser.recordLine, fault) }
    guard parser.fieldCount == header.columns else {
      throw fail(.fieldCount(expected: header.columns, found: parser.fieldCount))
    }
    let key = parser.field(header.key)
    guard !key.isEmpty else { throw fail(.emptyKey) }
    guard key.count <= limits.keyBytes else { throw fail(.keyTooLong(limit: limits.keyBytes)) }
    try keys.append(key.span)
  }

  private func readHeader() throws(TraceError) -> (columns: Int, key: Int) {
    let names = parser.headerNames()
    if let name = names.first(where: Self.operationColumns.contains) {
      throw .csv(line: parser.recordLine, .operationColumn(name))
    }
    let found = names.indices.filter { Self.keyColumns.contains(names[$0]) }
    guard let key = found.first else {
      throw .csv(line: parser.recordLine, .noColumn(named: Self.keyColumns))
    }
    guard found.count == 1 else {
      throw .csv(line: parser.recordLine, .severalColumns(found.map { names[$0] }))
    }
    return (names.count, key)
  }
}

extension CSVRecordParser {
  /// The fields of the record in hand as lower-case column names.
  func headerNames() -> [String] {
    (0..<fieldCount).map { text($0).lowercased() }
  }
}
