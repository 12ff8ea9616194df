package import Analysis
package import ResultModel
package import Text

/// `policies.csv`: a line for each policy of a scenario, for a spreadsheet.
///
/// An empty cell is a figure that was not measured, or had nothing to observe: never a zero. Figures are rounded;
/// `results.csv` has all digits.
package enum PoliciesTable {
  /// The figures that vary randomly: they also have columns for the ends of their interval.
  private static let withInterval: Set<MainFigure> = [
    MainFigure(.freshHitRatio), MainFigure(.staleReadShare), MainFigure(.readWait, .mean),
    MainFigure(.bytesFetched),
  ]

  static let columns: [String] =
    ["scenario", "policy", "recommended", "limits", "seeds"]
    + MainFigure.ofPolicies.flatMap { figure in
      [figure.columnName]
        + (withInterval.contains(figure)
          ? ["\(figure.columnName)_low", "\(figure.columnName)_high"] : [])
    }

  /// Returns the table, with lines in the order of their first row.
  package static func csv(
    _ rows: [ResultRow], verdicts: [ScenarioVerdict], limits: [ContenderIdentity: String]
  ) throws(ExportError) -> [UInt8] {
    var writer = CSVWriter(columns: columns)
    // Looked up, never iterated.
    let figures = Dictionary(
      grouping: rows, by: { ContenderIdentity(scenario: $0.scenario, policy: $0.policy) }
    ).mapValues {
      Dictionary($0.map { (MainFigure(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
    }
    for line in rows.distinct({ ContenderIdentity(scenario: $0.scenario, policy: $0.policy) }) {
      let own = figures[line] ?? [:]
      let verdict = verdicts.first { $0.scenario == line.scenario }?.verdict
      writer.text(line.scenario)
      writer.text(line.policy)
      writer.plain(verdict?.choice.contains(line.policy) == true ? "yes" : "")
      writer.text(limits[line] ?? "")
      let reads = own[MainFigure(.reads)]
      writer.plain(
        reads.flatMap { $0.seed == nil ? $0.sampleCount.map(String.init) : "1" } ?? "")
      for figure in MainFigure.ofPolicies {
        let row = own[figure]
        writer.plain(
          try row?.value.flatMap { value throws(ExportError) in try row?.rounded(value) } ?? "")
        guard withInterval.contains(figure) else { continue }
        for end in [row?.confidenceInterval?.lowerBound, row?.confidenceInterval?.upperBound] {
          writer.plain(
            try end.flatMap { end throws(ExportError) in try row?.rounded(.real(end)) } ?? "")
        }
      }
      writer.endLine()
    }
    return writer.bytes
  }
}

/// `results.csv`: all exact figures of all classes, over the seeds.
package enum ResultsTable {
  private struct Reads: Hashable {
    let scenario: String
    let policy: String
    let `class`: ResultClass

    init(_ row: ResultRow) {
      scenario = row.scenario
      policy = row.policy
      self.class = row.class
    }
  }

  /// Returns the rows with content.
  ///
  /// Rows without a value (not measured, or nothing to observe) are omitted, and classes of which the policy
  /// had no reads.
  package static func rows(of rows: [ResultRow]) -> [ResultRow] {
    let without = Set(
      rows.filter {
        $0.metric == .reads && $0.value?.asDouble == 0 && ![.all, .total].contains($0.class)
      }.map { Reads($0) })
    return rows.filter {
      $0.value != nil && !($0.metric.isOfReads && without.contains(Reads($0)))
    }
  }
}

/// A main figure: a column of `policies.csv` and of a baseline.
package struct MainFigure: Hashable, Sendable {
  package let metric: Metric
  package let statistic: Statistic
  package let `class`: ResultClass

  /// - Parameters:
  ///   - metric: the metric.
  ///   - statistic: one of the metric's.
  ///   - class: `nil`: all reads of the user, or the run if the metric has no classes of reads.
  package init(_ metric: Metric, _ statistic: Statistic = .value, class: ResultClass? = nil) {
    self.metric = metric
    self.statistic = statistic
    self.class = `class` ?? (metric.isOfReads ? .all : .total)
  }

  package init(of row: ResultRow) {
    self.init(row.metric, row.statistic, class: row.class)
  }

  /// The figures of the table that `bench` prints, in its order.
  package static let ofPolicies = [
    MainFigure(.reads), MainFigure(.freshHitRatio), MainFigure(.staleReadShare),
    MainFigure(.hitRatio), MainFigure(.failed), MainFigure(.readWait, .mean),
    MainFigure(.readWait, .p95), MainFigure(.slowReadShare), MainFigure(.bytesFetched),
    MainFigure(.bytesOfAnswers), MainFigure(.bytesOfCatchUp), MainFigure(.bytesPushed),
    MainFigure(.predictedBytes, .peak), MainFigure(.overLimit, .peak),
    MainFigure(.diskBytes, .peak), MainFigure(.offlineHitRatio),
  ]

  /// The additional figures of a baseline: those that must be zero, and those that explain a change.
  static let ofBaseline =
    ofPolicies + [
      MainFigure(.notificationsMissed), MainFigure(.divergentEntities),
      MainFigure(.divergentQueries), MainFigure(.writesLost), MainFigure(.duplicateWrites),
      MainFigure(.fetches), MainFigure(.evictions), MainFigure(.hitStale), MainFigure(.missCold),
      MainFigure(.missExpired), MainFigure(.missEvicted), MainFigure(.missInvalidated),
    ]

  /// The column of `policies.csv`, with the unit in its name, as in `read_wait_p95_ns`.
  var columnName: String { metric.columnName(statistic) }
}

extension MainFigure {
  /// As a gate names it, and the column of a baseline: `read_wait[all] p95`.
  var label: String { metric.label(statistic, class: `class`) }

  /// Creates the figure with this label; `nil` for an invalid one.
  init?(label: String) {
    let words = label.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let parts = words[0].split(separator: "[", omittingEmptySubsequences: false).map(String.init)
    guard words.count <= 2, parts.count <= 2, let metric = MetricRegistry.named(parts[0]),
      let statistic = words.count == 2 ? Statistic(rawValue: words[1]) : .value,
      let name = parts.count == 2 ? ResultClass(text: String(parts[1].dropLast())) : .total
    else { return nil }
    self.init(metric, statistic, class: name)
    guard self.label == label, metric.statistics.contains(statistic) else { return nil }
  }
}

extension Metric {
  /// Returns `metric_statistic_unit`, without redundant parts: the statistic `value`, a unit that is in the
  /// name, the unit of a ratio.
  func columnName(_ statistic: Statistic) -> String {
    let base = statistic == .value ? name : "\(name)_\(statistic.rawValue)"
    let words = name.split(separator: "_").map(String.init)
    let saysUnit = words.contains(unit.rawValue) || unit == .ratio && words.contains("share")
    let suffix = unit == .nanoseconds ? "ns" : unit.rawValue
    return saysUnit || name.hasSuffix(unit.rawValue) ? base : "\(base)_\(suffix)"
  }
}

extension ResultRow {
  /// Returns the value in full precision; `nil` without one.
  ///
  /// - Throws: ``ExportError`` for a number without a text form.
  func machineValue() throws(ExportError) -> String? {
    guard let value else { return nil }
    return try number(value)
  }

  /// Returns one of the row's numbers in few digits.
  ///
  /// - Throws: ``ExportError`` for a number without a text form.
  fileprivate func rounded(_ value: MetricValue) throws(ExportError) -> String {
    let exact = try number(value)
    guard case .real(let real) = value else { return exact }
    return MachineNumber.sixDigits(real)
  }
}

package enum ReadTable {
  private static let columns = [
    "scenario", "policy", "seed", "client", "action", "at_ns", "read", "outcome", "waited_ns",
    "age_ns", "difference", "row",
  ]

  package static var header: [UInt8] { CSVWriter(columns: columns).bytes }

  /// Returns the reads as CSV without a header, in the order given; an empty cell means no value.
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

  /// Reads the output of ``header`` and ``lines(_:)``.
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
