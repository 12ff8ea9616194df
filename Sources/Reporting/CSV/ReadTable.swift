package import Analysis
import ResultModel
package import Text

/// What became of reads, a line each.
package enum ReadTable {
  private static let columns = [
    "scenario", "policy", "seed", "client", "action", "at_ns", "read", "outcome", "waited_ns",
    "age_ns", "difference", "row",
  ]

  /// The line that names the columns.
  package static var header: [UInt8] { CSVWriter(columns: columns).bytes }

  /// The reads as CSV without a header, in the order given; an empty cell: there is none.
  package static func lines(_ reads: [ReadLine]) -> [UInt8] {
    var writer = CSVWriter()
    for read in reads {
      writer.text(read.scenario)
      writer.text(read.policy)
      writer.plain(String(read.seed))
      writer.text(read.client)
      writer.plain(String(read.action))
      writer.plain(String(read.at))
      writer.text(read.read)
      writer.plain(read.outcome.name)
      writer.plain(read.waited.map(String.init) ?? "")
      writer.plain(read.age.map(String.init) ?? "")
      writer.text(read.difference?.word ?? "")
      writer.plain(read.difference.map { String($0.row) } ?? "")
      writer.endLine()
    }
    return writer.bytes
  }

  /// Reads what ``header`` and ``lines(_:)`` wrote.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> [ReadLine] {
    var reader = try CSVReader(bytes)
    guard try reader.next()?.cells == columns else {
      throw CSVError(line: 1, cause: .header(expected: columns.joined(separator: ",")))
    }
    var reads: [ReadLine] = []
    while let record = try reader.next() { reads.append(try line(record)) }
    return reads
  }

  private static func line(_ record: CSVReader.Record) throws(CSVError) -> ReadLine {
    let cells = record.cells
    guard cells.count == columns.count else {
      throw CSVError(
        line: record.line, cause: .cellCount(found: cells.count, expected: columns.count))
    }
    func fault(_ column: Int, _ expected: String) -> CSVError {
      CSVError(
        line: record.line,
        cause: .cell(column: columns[column], text: cells[column], expected: expected))
    }
    func number<Number: FixedWidthInteger>(_ column: Int) throws(CSVError) -> Number {
      guard let number = Number(cells[column]), number >= 0 else {
        throw fault(column, "a whole number")
      }
      return number
    }
    func optional(_ column: Int) throws(CSVError) -> Int64? {
      cells[column].isEmpty ? nil : try number(column)
    }
    guard let outcome = MetricRegistry.named(cells[7]), outcome.isOfReads, outcome.unit == .count
    else { throw fault(7, "an outcome, as in `hit_fresh`") }
    let word = CSVReader.unguarded(cells[10])
    return ReadLine(
      scenario: CSVReader.unguarded(cells[0]), policy: CSVReader.unguarded(cells[1]),
      seed: try number(2), client: CSVReader.unguarded(cells[3]), action: try number(4),
      at: try number(5), read: CSVReader.unguarded(cells[6]), outcome: outcome,
      waited: try optional(8), age: try optional(9),
      difference: word.isEmpty ? nil : .init(word: word, row: try number(11)))
  }
}
