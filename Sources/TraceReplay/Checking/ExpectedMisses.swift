/// A table of misses that other programs counted: `trace,policy,cache_size,requests,misses`.
package struct ExpectedMisses: Sendable {
  package struct Row: Hashable, Sendable {
    package var trace: String
    /// As the table writes it, which may be an alias.
    package var policy: String
    package var capacity: Int
    package var requests: Int
    package var misses: Int
  }

  package let rows: [Row]

  static let columns = ["trace", "policy", "cache_size", "requests", "misses"]

  /// Reads the table.
  ///
  /// Further columns are ignored; the order of columns is free.
  package init(csv: [UInt8]) throws(TraceError) {
    var parser = CSVRecordParser(limit: TraceLimits.standard.recordBytes)
    var places: [Int]?
    var width = 0
    var rows: [Row] = []
    func take() throws(TraceError) {
      guard let known = places else {
        let names = parser.headerNames()
        var found: [Int] = []
        for column in Self.columns {
          guard let place = names.firstIndex(of: column) else {
            throw .record(line: parser.recordLine, .noColumn(named: [column]))
          }
          found.append(place)
        }
        width = names.count
        places = found
        return
      }
      guard parser.fieldCount == width else {
        throw .record(
          line: parser.recordLine, .fieldCount(expected: width, found: parser.fieldCount))
      }
      func number(_ column: Int) throws(TraceError) -> Int {
        let name = Self.columns[column]
        guard let value = Int(parser.text(known[column])) else {
          throw .record(line: parser.recordLine, .notANumber(column: name))
        }
        guard value >= 0 else { throw .record(line: parser.recordLine, .negative(column: name)) }
        return value
      }
      rows.append(
        Row(
          trace: parser.text(known[0]), policy: parser.text(known[1]), capacity: try number(2),
          requests: try number(3), misses: try number(4)))
    }
    for byte in csv where try parser.consume(byte) { try take() }
    if try parser.finish() { try take() }
    guard !rows.isEmpty else { throw .noRequests(format: "csv") }
    self.rows = rows
  }

  /// The registry's name of a policy that the table may call otherwise.
  package static func policyName(for name: String) -> String {
    switch name {
    case "s3fifo": "s3-fifo"
    case "twoq": "two-queue"
    case "belady": "clairvoyant"
    default: name
    }
  }
}
