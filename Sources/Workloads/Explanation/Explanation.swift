import CacheModel
import Text

/// A scenario read back in words: what it declares, what that comes to, a few rows and events that were
/// drawn, and how the drawn stream compares with the declaration.
package struct Explanation: Sendable {
  package let check: StreamCheck
  private let sections: [(title: String, lines: [String])]

  package init(_ scenario: Scenario, _ workload: Workload) {
    check = StreamCheck(workload, against: scenario)
    var sections: [(title: String, lines: [String])] = []
    if let app = scenario.app {
      let words = ModelWords(app.model)
      sections.append(("what there is", app.model.types.indices.map { words.type($0) }))
      sections.append(("what is asked", app.model.shapes.map { words.shape($0) }))
      sections.append(("what others do", app.others.flatMap { words.others($0, scenario) }))
      sections.append(("what people do", app.people.flatMap { words.people($0) }))
      sections.append(("rows", SampleRows(workload).rows))
      sections.append(("events", SampleRows(workload).events))
    } else {
      sections.append(("what there is", FileWords.library(scenario.library)))
      sections.append(("what others do", scenario.devices.map { FileWords.device($0) }))
      sections.append(("what people do", scenario.sessions.map { FileWords.session($0) }))
    }
    sections.insert(("what it comes to", Self.load(scenario, workload)), at: sections.count)
    self.sections = [(scenario.name, [scenario.summary])] + sections
  }

  /// What was drawn, in all.
  private static func load(_ scenario: Scenario, _ workload: Workload) -> [String] {
    let summary = WorkloadSummary(of: workload)
    let hours = Double(scenario.duration.wholeNanoseconds) / 3.6e12
    let clients = max(1, summary.clients)
    let perEdit =
      summary.edits > 0
      ? ", \(Words.number(Double(summary.reads) / Double(summary.edits))) for each edit" : ""
    return [
      "\(Words.count(summary.objectsAtStart, "entity")) of \(Words.size(summary.bytesAtStart)) together "
        + "when the run begins.",
      "\(Words.count(summary.commits, "commit")) in \(Words.duration(scenario.duration)), "
        + "\(Words.number(Double(summary.commits) / hours)) an hour; their events are "
        + "\(Words.size(summary.eventBytes)), sent to each client that is connected.",
      "\(Words.count(summary.reads, "read")) by \(Words.count(clients, "client"))"
        + "\(perEdit): \(Words.count(summary.queryReads, "list")) and "
        + "\(Words.count(summary.opens, "entity")) opened; "
        + "\(Words.share(Double(summary.seenBefore) / Double(max(1, summary.queryReads)))) of the lists "
        + "the same client had asked for before.",
      summary.writes > 0
        ? "\(Words.count(summary.writes, "write")) by users, "
          + "\(Words.number(Double(summary.writes) / Double(clients))) by each; "
          + "\(Words.count(workload.writes.count { $0.isRefused }, "write")) of them will be refused."
        : nil,
      "\(Words.count(workload.queries.count, "query")) that differ; "
        + "\(Words.count(summary.countedReads, "read")) are counted, after the warm-up.",
    ].compactMap { $0 }
  }

  /// The text, a line each, none longer than a terminal is wide.
  package var lines: [String] {
    var lines: [String] = []
    for (title, texts) in sections {
      lines.append(title)
      for text in texts { lines += Words.wrapped(text, indent: 2, width: 100) }
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
