import CacheModel
import Text
package import Workloads

/// A scenario read back in words: what it declares, what that comes to, a few rows and events that were
/// drawn, and how the drawn stream compares with the declaration.
package struct Explanation: Sendable {
  package let check: StreamCheck
  private let sections: [ExplanationSection]

  package init(_ scenario: Scenario, _ workload: Workload) {
    check = StreamCheck(workload, against: scenario)
    var sections = ExplanationSection.declared(in: scenario)
    sections.append(
      .init(
        "what it comes to", Self.load(scenario, workload) + IntegerRanges.lines(workload)))
    sections.append(.init("rows", SampleRows(workload).rows))
    sections.append(.init("events", SampleRows(workload).events))
    self.sections = sections
  }

  /// What was drawn, in all.
  private static func load(_ scenario: Scenario, _ workload: Workload) -> [String] {
    let summary = WorkloadSummary(of: workload)
    let hours = Double(scenario.duration.wholeNanoseconds) / 3.6e12
    let clients = max(1, summary.clients)
    let perEdit =
      summary.edits > 0
      ? ", \(Words.about(Double(summary.reads) / Double(summary.edits))) for each edit" : ""
    return [
      "\(Words.count(summary.objectsAtStart, "entity")) of \(Words.aboutSize(summary.bytesAtStart)) "
        + "together when the run begins.",
      "\(Words.count(summary.commits, "commit")) in \(Words.duration(scenario.duration)), "
        + "\(Words.about(Double(summary.commits) / hours)) an hour; their events are "
        + "\(Words.aboutSize(summary.eventBytes)), sent to each client that is connected.",
      "\(Words.count(summary.reads, "read")) by \(Words.count(clients, "client"))"
        + "\(perEdit): \(Words.count(summary.queryReads, "list")) and "
        + "\(Words.count(summary.opens, "entity")) opened; "
        + "\(Words.aboutShare(Double(summary.seenBefore) / Double(max(1, summary.queryReads)))) of the lists "
        + "the same client had asked for before.",
      summary.writes > 0
        ? "\(Words.count(summary.writes, "write")) by users, "
          + "\(Words.about(Double(summary.writes) / Double(clients))) by each; "
          + "\(Words.count(workload.writes.count { $0.isRefused }, "write")) of them will be refused."
        : nil,
      "\(Words.count(workload.queries.count, "query")) that differ; "
        + "\(Words.count(summary.countedReads, "read")) are counted, after the warm-up.",
    ].compactMap { $0 }
  }

  /// The text, a line each, none longer than a terminal is wide.
  package var lines: [String] {
    var lines: [String] = []
    for section in sections {
      lines.append(section.title)
      for text in section.lines { lines += Words.wrapped(text, indent: 2, width: 100) }
      lines.append("")
    }
    lines.append("the drawn stream beside the declaration")
    let width = check.figures.map(\.name.count).max() ?? 0
    for figure in check.figures {
      let name = figure.name + String(repeating: " ", count: width - figure.name.count)
      let declared = Words.value(figure.declared, figure.dimension)
      let measured = figure.measured.map { Words.value($0, figure.dimension) } ?? "–"
      lines.append(
        "  \(name)  \(declared) → \(measured)  \(figure.verdict.rawValue) (\(figure.count))")
    }
    return lines
  }
}
