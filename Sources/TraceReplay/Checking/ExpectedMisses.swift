package import EvictionPolicies
import Text

/// A table of misses from other programs: `trace,policy,cache_size,requests,misses`.
package struct ExpectedMisses: Sendable {
  package struct Row: Hashable, Sendable {
    package var trace: String
    package var policy: String
    package var capacity: Int
    package var requests: Int
    package var misses: Int
  }

  package let rows: [Row]

  static let columns = ["trace", "policy", "cache_size", "requests", "misses"]

  /// Parses the table.
  ///
  /// Additional columns are ignored; the order of columns is arbitrary.
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

  /// Returns the registry's name of a policy, given its name in the table.
  package static func policyName(for name: String) -> String {
    switch name {
    case "s3fifo": "s3-fifo"
    case "twoq": "two-queue"
    case "belady": "clairvoyant"
    default: name
    }
  }
}

package struct TraceSource: Hashable, Sendable {
  package enum Compression: String, Hashable, Sendable {
    case gzip, xz
  }

  package var name: String
  /// The file name in the folder of traces.
  package var fileName: String
  package var compression: Compression
  /// The name of the format in ``TraceFormats``.
  package var format: String

  /// Maps the name in the table to a file: `lirs_X` to `X.trace.gz`, `cache2k_X` to `X.trace.xz`.
  ///
  /// It is `nil` for any other name, and for one with a path outside of the folder.
  package init?(tableName: String) {
    func stem(after prefix: String) -> String? {
      guard tableName.hasPrefix(prefix) else { return nil }
      let stem = tableName.dropFirst(prefix.count)
      let isPlain = stem.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-".utf8.contains($0) }
      return isPlain && !stem.isEmpty ? String(stem) : nil
    }
    name = tableName
    if let stem = stem(after: "lirs_") {
      fileName = "\(stem).trace.gz"
      compression = .gzip
      format = "lirs"
    } else if let stem = stem(after: "cache2k_") {
      fileName = "\(stem).trace.xz"
      compression = .xz
      format = "be32"
    } else {
      return nil
    }
  }
}

extension ExpectedMisses {
  /// A row with a different result in this program.
  package struct Mismatch: Hashable, Sendable, CustomStringConvertible {
    package var row: Row
    package var requests: Int
    package var misses: Int

    package var description: String {
      let place = "\(row.trace.excerpt), \(row.policy.excerpt), capacity \(row.capacity)"
      return requests == row.requests
        ? "\(place): \(misses) misses, expected \(row.misses)"
        : "\(place): the trace holds \(requests) requests, expected \(row.requests)"
    }
  }

  /// The result of a check.
  ///
  /// Every row of the table is in exactly one of its parts.
  package struct Report: Hashable, Sendable {
    package struct Skipped: Hashable, Sendable {
      package var name: String
      package var rows: Int
    }

    /// The number of rows with equal results.
    package var agreeing = 0
    package var mismatches: [Mismatch] = []
    /// The rows of policies that are not in the registry, by the table's name.
    package var unknownPolicies: [Skipped] = []
    /// The rows of unavailable traces, with known policies.
    package var missingTraces: [Skipped] = []

    package var checked: Int { agreeing + mismatches.count }

    /// Whether at least one row was checked, no trace was missing, and all results are equal.
    package var passes: Bool { mismatches.isEmpty && missingTraces.isEmpty && agreeing > 0 }
  }

  /// Replays every row with a known policy, one trace after another.
  package func check(
    against policies: [EvictionPolicyDescriptor] = EvictionPolicies.all, width: Int,
    load: (TraceSource) async throws -> InternedTrace?
  ) async rethrows -> Report {
    var report = Report()
    for name in Self.distinct(rows.map(\.trace)) {
      var known: [(row: Row, cell: Replay.Cell)] = []
      for row in rows where row.trace == name {
        let policyName = Self.policyName(for: row.policy)
        if let policy = policies.first(where: { $0.name == policyName }) {
          known.append((row, Replay.Cell(policy: policy, capacity: row.capacity)))
        } else {
          Self.count(row.policy, rows: 1, in: &report.unknownPolicies)
        }
      }
      guard !known.isEmpty else { continue }
      guard let source = TraceSource(tableName: name), let trace = try await load(source) else {
        Self.count(name, rows: known.count, in: &report.missingTraces)
        continue
      }
      let results = await Replay.run(known.map(\.cell), of: trace, seed: 1, width: width)
      for ((row, _), result) in zip(known, results) {
        if result.counts.requests == row.requests, result.counts.misses == row.misses {
          report.agreeing += 1
        } else {
          report.mismatches.append(
            Mismatch(
              row: row, requests: result.counts.requests, misses: result.counts.misses))
        }
      }
    }
    return report
  }

  private static func count(_ name: String, rows: Int, in skipped: inout [Report.Skipped]) {
    if let place = skipped.firstIndex(where: { $0.name == name }) {
      skipped[place].rows += rows
    } else {
      skipped.append(Report.Skipped(name: name, rows: rows))
    }
  }

  /// Returns the elements without duplicates, by first appearance.
  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
