import Text

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
    var parser = CSVRecordParser(.lenient, recordLimit: TraceLimits.standard.recordBytes)
    var places: [Int]?
    var width = 0
    var rows: [Row] = []
    var next = 0
    while true {
      do throws(CSVFault) {
        let isWhole = try parser.next(csv.span, from: &next)
        guard try isWhole ? true : parser.finish() else { break }
      } catch {
        throw .record(line: parser.recordLine, .csv(error))
      }
      let line = parser.recordLine
      guard let known = places else {
        let names = parser.columnNames(in: csv.span)
        places = try Self.columns.map { column throws(TraceError) in
          guard let place = names.firstIndex(of: column) else {
            throw .record(line: line, .noColumn(named: [column]))
          }
          return place
        }
        width = names.count
        continue
      }
      let cells = parser.texts(in: csv.span)
      guard cells.count == width else {
        throw .record(line: line, .fieldCount(expected: width, found: cells.count))
      }
      func number(_ column: Int) throws(TraceError) -> Int {
        let name = Self.columns[column]
        guard let value = Int(cells[known[column]]) else {
          throw .record(line: line, .notANumber(column: name))
        }
        guard value >= 0 else { throw .record(line: line, .negative(column: name)) }
        return value
      }
      rows.append(
        Row(
          trace: cells[known[0]], policy: cells[known[1]], capacity: try number(2),
          requests: try number(3), misses: try number(4)))
    }
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
