package import Metrics

/// Rows as the memory process tells them to its parent.
///
/// A first line, then for each row its scenario, policy, class, metric, statistic, value and sample
/// count, with tabs between, and `end`, so that what was cut short is not taken for whole.
package enum MemoryRows {
  private static let header = "tidemark-memory-rows 2"
  private static let trailer = "end"
  /// More than any run has.
  private static let largestText = 1 << 20

  package static func text(_ rows: [ResultRow]) -> String {
    let lines = rows.map { row in
      let value =
        switch row.value {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)r"
        case nil: ""
        }
      return [
        row.scenario, row.policy, "\(row.class)", row.metric.name, row.statistic.rawValue, value,
        row.sampleCount.map { "\($0)" } ?? "",
      ].joined(separator: "\t")
    }
    return ([header] + lines + [trailer]).joined(separator: "\n") + "\n"
  }

  /// Reads what ``text(_:)`` wrote.
  ///
  /// - Parameters:
  ///   - text: the output of the process.
  ///   - seed: the seed that the rows are to bear.
  /// - Returns: the rows, in order.
  /// - Throws: ``MemoryReportError`` for anything else; nothing is guessed.
  package static func rows(in text: String, seed: UInt64) throws(MemoryReportError) -> [ResultRow] {
    guard text.utf8.count <= largestText else {
      throw .tooLong(bytes: text.utf8.count, limit: largestText)
    }
    guard text.hasSuffix("\n") else { throw .truncated }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard lines.first.map(String.init) == header else {
      throw .notAReport(firstLine: String((lines.first ?? "").prefix(80)))
    }
    guard lines.count > 1, lines.last.map(String.init) == trailer else { throw .truncated }
    var rows: [ResultRow] = []
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      guard let row = row(in: line, seed: seed) else {
        throw .unreadable(line: index + 1, text: String(line.prefix(80)))
      }
      rows.append(row)
    }
    return rows
  }

  private static func row(in line: Substring, seed: UInt64) -> ResultRow? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 7, let metric = MetricRegistry.named(fields[3]),
      let name = ResultClass(text: fields[2]),
      let statistic = Statistic(rawValue: fields[4]), metric.statistics.contains(statistic)
    else { return nil }
    var value: MetricValue?
    if fields[5].hasSuffix("r") {
      guard let number = Double(fields[5].dropLast()), number.isFinite else { return nil }
      value = .real(number)
    } else if !fields[5].isEmpty {
      guard let number = Int64(fields[5]) else { return nil }
      value = .integer(number)
    }
    guard fields[6].isEmpty || Int(fields[6]) != nil else { return nil }
    return ResultRow(
      scenario: fields[0], policy: fields[1], seed: seed, class: name, metric: metric,
      statistic: statistic, value: value, sampleCount: Int(fields[6]))
  }
}
