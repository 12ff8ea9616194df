import CacheSimulation
import CommandLineInterface
import Reporting
import Workloads

extension LogContradictions {
  /// What a person is told, one line for each kind: how many, where first, and what to do.
  func texts(_ lines: RecordingLines) -> [String] {
    findings.map { finding in
      let share = "\(Self.count(finding.reads)) of \(Self.count(reads))"
      return "\(Self.fault(finding.kind)): \(share), first on line \(lines[finding.first]); "
        + Self.remedy(finding, lines)
    }
  }

  private static func fault(_ kind: Kind) -> String {
    switch kind {
    case .order: "reads whose rows stand in another order than their query's"
    case .shownOrder: "reads whose rows stand in another order than in reads before them"
    case .foreignRow: "reads that show a row which does not belong in their query"
    case .missingRow: "reads without a row that an event put into their query"
    case .unknownState: "reads that show a version of an object of which no line tells"
    case .tooLong: "reads that show more rows than the `limit` of their query"
    }
  }

  private static func remedy(_ finding: Finding, _ lines: RecordingLines) -> String {
    let queries = queries(finding.queries.map { lines.queries[$0] })
    return switch finding.kind {
    case .order, .foreignRow, .missingRow: "write \"order\":\"as-shown\" in \(queries)"
    case .shownOrder:
      "if the app shows one list in several orders, write a query for each, of another `limit`, "
        + "beside \(queries)"
    case .unknownState: "write it as a `state`, or as an item of a mutation"
    case .tooLong: "raise it in \(queries)"
    }
  }

  /// "the query of line 6", "the queries of lines 6, 7 and 12 more".
  private static func queries(_ lines: [Int]) -> String {
    let named = 3
    let first = lines.prefix(lines.count == named + 1 ? named + 1 : named).map(String.init)
    let rest = lines.count - first.count
    guard first.count > 1 else { return "the query of line \(first.joined())" }
    let last = rest > 0 ? "\(count(rest)) more" : first[first.count - 1]
    let others = rest > 0 ? first[...] : first.dropLast()
    return "the queries of lines \(others.joined(separator: ", ")) and \(last)"
  }

  private static func count(_ number: Int) -> String { HumanNumber.count(Double(number)) }
}
