package import Analysis
package import ResultModel
import Text

/// `policies.csv`: a line for each policy of a scenario, to be read in a spreadsheet.
///
/// An empty cell is a figure that was not measured, or of which there was nothing to observe: never a zero.
package enum PoliciesTable {
  /// The figures that differ by chance of the draw: the ends of their interval have columns too.
  private static let withInterval: Set<MainFigure> = [
    MainFigure(.freshHitRatio), MainFigure(.staleReadShare), MainFigure(.readWait, .mean),
    MainFigure(.bytesFetched),
  ]

  static let columns: [String] =
    ["scenario", "policy", "recommended", "seeds"]
    + MainFigure.ofPolicies.flatMap { figure in
      [figure.columnName]
        + (withInterval.contains(figure)
          ? ["\(figure.columnName)_low", "\(figure.columnName)_high"] : [])
    }

  private struct Line: Hashable {
    let scenario: String
    let policy: String
  }

  /// The table, lines in the order of their first row.
  ///
  /// - Parameters:
  ///   - rows: one of each kind: of several seeds the mean.
  ///   - verdicts: which policies are named.
  /// - Returns: the file.
  /// - Throws: ``ExportError`` for a number that no text stands for.
  package static func csv(
    _ rows: [ResultRow], verdicts: [ScenarioVerdict]
  ) throws(ExportError) -> [UInt8] {
    var writer = CSVWriter(columns: columns)
    // Looked up, never iterated.
    let figures = Dictionary(
      grouping: rows, by: { Line(scenario: $0.scenario, policy: $0.policy) }
    ).mapValues {
      Dictionary($0.map { (MainFigure(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
    }
    for line in rows.distinct({ Line(scenario: $0.scenario, policy: $0.policy) }) {
      let own = figures[line] ?? [:]
      let verdict = verdicts.first { $0.scenario == line.scenario }?.verdict
      writer.text(line.scenario)
      writer.text(line.policy)
      writer.plain(verdict?.choice.contains(line.policy) == true ? "yes" : "")
      let reads = own[MainFigure(.reads)]
      writer.plain(
        reads.flatMap { $0.seed == nil ? $0.sampleCount.map(String.init) : "1" } ?? "")
      for figure in MainFigure.ofPolicies {
        let row = own[figure]
        writer.plain(try row?.machineValue() ?? "")
        guard withInterval.contains(figure) else { continue }
        for end in [row?.confidenceInterval?.lowerBound, row?.confidenceInterval?.upperBound] {
          writer.plain(
            try end.flatMap { end throws(ExportError) in try row?.number(.real(end)) } ?? "")
        }
      }
      writer.endLine()
    }
    return writer.bytes
  }
}

/// `results.csv`: every exact figure of every class, over the seeds.
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

  /// The rows that say something.
  ///
  /// Left out is what has no value (not measured, or nothing to observe), and all of a class of reads of
  /// which the policy had none.
  ///
  /// - Parameter rows: one of each kind: of several seeds the mean.
  /// - Returns: those of them, in their order.
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
