package import Analysis

/// A verdict as Markdown, for the summary of a run: what failed and what is open first.
package enum GateMarkdown {
  /// GitHub takes a summary of 1 MiB and drops a larger one whole.
  package static let largestText = 900 << 10

  package static func text(_ verdict: Verdict) -> String {
    let entries = GateResults(verdict).entries.filter { $0.level != .passed }
    var text = "### gate \(verdict.outcome.rawValue)\n\n" + GateReport.counts(verdict) + "\n"
    for change in verdict.contenderChanges {
      text += "\n" + GateReport.line(change) + "\n"
    }
    guard !entries.isEmpty else { return text }
    text += "\n"
    let columns = ["scenario", "policy", "finding"].map { TextTable.Column($0) }
    text += TextTable(columns: columns).markdown()
    for (index, entry) in entries.enumerated() {
      var row = TextTable(columns: columns)
      row.append([entry.scenario, entry.name, entry.message])
      // Below the title and the rule.
      let line = row.markdown().split(separator: "\n").last.map { $0 + "\n" } ?? ""
      guard text.utf8.count + line.utf8.count <= largestText else {
        return text + "\n\(entries.count - index) more are in verdict.json\n"
      }
      text += line
    }
    return text
  }
}
