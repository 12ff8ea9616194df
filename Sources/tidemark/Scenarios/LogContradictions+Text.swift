import CacheModel
import CacheSimulation
import CommandLineInterface
import RecordingCodec
import Reporting
import Workloads

extension LogContradictions {
  /// What a person is told, one line for each kind: how many, when first, and what to do.
  var texts: [String] {
    findings.map { finding in
      let share = "\(Self.count(finding.reads)) of \(Self.count(reads))"
      let first = HumanNumber.duration(nanoseconds: Double(finding.first.nanoseconds))
      return "\(Self.fault(finding.kind)): \(share), first at \(first); \(Self.remedy(finding))"
    }
  }

  private static func fault(_ kind: Kind) -> String {
    switch kind {
    case .order: "reads whose rows stand in another order than their query's"
    case .shownOrder: "reads whose rows stand in another order than in reads before them"
    case .foreignRow: "reads that show a row which does not belong in their query"
    }
  }

  private static func remedy(_ finding: Finding) -> String {
    let named = finding.queries.prefix(3).map { "`\($0)`" }.joined(separator: ", ")
    let more = finding.queries.count > 3 ? " and \(finding.queries.count - 3) more" : ""
    return switch finding.kind {
    case .order, .foreignRow: "leave `order` out of the model's \(named)\(more)"
    case .shownOrder:
      "if the app shows one list in several orders, write a query for each instead of \(named)\(more)"
    }
  }

  private static func count(_ number: Int) -> String { HumanNumber.count(Double(number)) }
}
