import ResultModel
package import Text

/// One policy in one part of a run's time: a line of `timeline.csv`.
package struct TimelineLine: Hashable, Sendable {
  package let scenario: String
  package let policy: String
  package let seed: UInt64
  /// The begin and end, in nanoseconds of virtual time.
  package let begin: Int64
  package let end: Int64
  package let reads: Int
  package let freshHits: Int
  package let staleHits: Int
  package let failures: Int
  /// The mean number of resident entities; `nil` for a black-box cache.
  package let entities: Double?

  package init(
    scenario: String, policy: String, seed: UInt64, begin: Int64, end: Int64, reads: Int,
    freshHits: Int, staleHits: Int, failures: Int, entities: Double?
  ) {
    self.scenario = scenario
    self.policy = policy
    self.seed = seed
    self.begin = begin
    self.end = end
    self.reads = reads
    self.freshHits = freshHits
    self.staleHits = staleHits
    self.failures = failures
    self.entities = entities
  }

  private static let columns = [
    "scenario", "policy", "seed", "begin_nanoseconds", "end_nanoseconds", "reads", "hit_fresh",
    "hit_stale", "failed", "resident_entities_mean",
  ]

  /// Returns the lines as CSV, in the order given.
  package static func csv(_ lines: [TimelineLine]) throws(NotFinite) -> [UInt8] {
    var writer = CSVWriter(columns: columns)
    for line in lines {
      writer.text(line.scenario)
      writer.text(line.policy)
      writer.plain(String(line.seed))
      for number in [line.begin, line.end] { writer.plain(String(number)) }
      for number in [line.reads, line.freshHits, line.staleHits, line.failures] {
        writer.plain(String(number))
      }
      if let entities = line.entities {
        writer.plain(try MachineNumber.text(entities))
      } else {
        writer.plain("")
      }
      writer.endLine()
    }
    return writer.bytes
  }

  /// Reads the output of ``csv(_:)``.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> [TimelineLine] {
    var reader = try CSVReader(bytes)
    guard let header = try reader.next(), header.cells == columns else {
      throw CSVError(line: 1, cause: .header(expected: columns.joined(separator: ",")))
    }
    var lines: [TimelineLine] = []
    while let record = try reader.next() {
      guard record.cells.count == columns.count else {
        throw CSVError(
          line: record.line,
          cause: .cellCount(found: record.cells.count, expected: columns.count))
      }
      func whole<Number: FixedWidthInteger>(_ index: Int) throws(CSVError) -> Number {
        guard let value = Number(record.cells[index]), value >= 0 else {
          throw CSVError(
            line: record.line,
            cause: .cell(
              column: columns[index], text: record.cells[index], expected: "a whole number from 0"))
        }
        return value
      }
      let entities = MachineNumber.value(record.cells[9])?.asDouble
      guard record.cells[9].isEmpty || entities.map({ $0 >= 0 }) ?? false else {
        throw CSVError(
          line: record.line,
          cause: .cell(
            column: columns[9], text: record.cells[9], expected: "a number from 0, or nothing"))
      }
      lines.append(
        TimelineLine(
          scenario: CSVReader.unguarded(record.cells[0]),
          policy: CSVReader.unguarded(record.cells[1]), seed: try whole(2), begin: try whole(3),
          end: try whole(4), reads: try whole(5), freshHits: try whole(6), staleHits: try whole(7),
          failures: try whole(8), entities: entities))
    }
    return lines
  }
}
