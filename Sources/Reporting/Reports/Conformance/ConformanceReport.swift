/// How a cache did in the cases of conformance, for a terminal and as JUnit XML.
package struct ConformanceReport: Sendable {
  package enum Verdict: String, Sendable, CaseIterable {
    case pass
    case nonStrict = "non-strict"
    case fail
    case info
  }

  package struct Case: Sendable {
    package var group: String
    package var address: String
    package var title: String
    package var verdict: Verdict
    /// What was found, a few lines each.
    package var findings: [[String]]
    /// Why it was not run; `nil`: it was.
    package var obstacle: String?

    package init(
      group: String, address: String, title: String, verdict: Verdict, findings: [[String]],
      obstacle: String? = nil
    ) {
      self.group = group
      self.address = address
      self.title = title
      self.verdict = verdict
      self.findings = findings
      self.obstacle = obstacle
    }
  }

  private let cache: String
  private let cases: [Case]

  package init(cache: String, cases: [Case]) {
    self.cache = cache
    self.cases = cases
  }

  /// The cases that there are, by address and title.
  package static func list(_ cases: [(address: String, title: String)]) -> String {
    var table = TextTable(columns: [
      TextTable.Column("case"), TextTable.Column("what it asks"),
    ])
    for test in cases { table.append([test.address, test.title]) }
    return table.terminal(style: .plain)
  }

  /// The cases and what was found in them, those that fail last.
  ///
  /// Cases that were not run stand together, a line for each reason.
  ///
  /// - Returns: lines of at most 80 characters.
  package func text(style: TextStyle) -> String {
    var table = TextTable(columns: [
      TextTable.Column("case"), TextTable.Column("result"), TextTable.Column("what it asks"),
    ])
    for run in runs {
      let test = run[0]
      table.append([
        TextTable.Cell(test.address + (run.count > 1 ? " to \(run[run.count - 1].place)" : "")),
        TextTable.Cell(test.verdict.rawValue, tone: test.verdict.tone),
        TextTable.Cell(test.obstacle.map { "not run: \($0)" } ?? test.title),
      ])
    }
    var text = table.terminal(style: style)
    let told = cases.filter { !$0.findings.isEmpty && $0.obstacle == nil }
    for test in told.filter({ $0.verdict != .fail }) + told.filter({ $0.verdict == .fail }) {
      let head = Self.folded("\(test.address), \(test.verdict.rawValue): \(test.title)", indent: 0)
      text += "\n" + head.map { style.paint($0, .strong) + "\n" }.joined()
      for line in test.findings.joined() {
        text += Self.folded(line, indent: 2).map { $0 + "\n" }.joined()
      }
    }
    return text
  }

  /// How many cases there are of each result, and which fail: what a reader looks for at the end.
  ///
  /// - Returns: lines of at most 80 characters.
  package func summary(style: TextStyle) -> String {
    let counts = Verdict.allCases.map { verdict in
      "\(cases.count { $0.verdict == verdict }) \(verdict.rawValue)"
    }
    let notRun = cases.count { $0.obstacle != nil }
    let failed = cases.filter { $0.verdict == .fail }.map(\.address)
    let lines =
      Self.folded(
        "\(cache): \(counts.joined(separator: ", "))"
          + (notRun > 0 ? ", \(notRun) of them not run" : ""),
        indent: 0)
      + (failed.isEmpty
        ? []
        : Self.folded("fail: \(failed.joined(separator: ", "))", indent: 0)
          .map { style.paint($0, .strong) })
    return lines.map { $0 + "\n" }.joined()
  }

  /// Cases in a row that were not run for one reason; any other is alone.
  private var runs: [[Case]] {
    cases.reduce(into: []) { runs, test in
      let before = runs.last?.last
      if test.obstacle != nil, before?.obstacle == test.obstacle, before?.group == test.group {
        runs[runs.count - 1].append(test)
      } else {
        runs.append([test])
      }
    }
  }

  package func junit() -> String {
    var suites: [JUnit.Suite] = []
    for test in cases {
      let message = test.findings.map { $0.joined(separator: "; ") }.joined(separator: "\n")
      let result = JUnit.Case(
        name: "\(test.address) \(test.title)",
        outcome: test.verdict == .fail ? .failure(message) : .passed,
        output: test.verdict == .fail || message.isEmpty
          ? "" : "\(test.verdict.rawValue): \(message)")
      if suites.last?.name == test.group {
        suites[suites.count - 1].cases.append(result)
      } else {
        suites.append(JUnit.Suite(name: test.group, cases: [result]))
      }
    }
    return JUnit.document(name: "tidemark conform \(cache)", suites)
  }

  /// Lines of at most 80 characters, broken at spaces; a word that is longer is broken anywhere.
  private static func folded(_ text: String, indent: Int) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    for word in text.split(separator: " ") {
      var rest = word[...]
      if !isEmpty, line.count + 1 + rest.count > TextTable.terminalWidth {
        lines.append(line)
        line = String(repeating: " ", count: indent + 2)
        isEmpty = true
      }
      while line.count + rest.count > TextTable.terminalWidth {
        let fitting = rest.prefix(TextTable.terminalWidth - line.count)
        lines.append(line + fitting)
        rest = rest.dropFirst(fitting.count)
        line = String(repeating: " ", count: indent + 2)
      }
      line += (isEmpty ? "" : " ") + rest
      isEmpty = false
    }
    return lines + [line]
  }
}

extension ConformanceReport.Case {
  /// Its number in its group.
  fileprivate var place: Substring { address.split(separator: "/").last ?? "" }
}

extension ConformanceReport.Verdict {
  fileprivate var tone: Tone {
    switch self {
    case .pass: .good
    case .nonStrict: .doubtful
    case .fail: .bad
    case .info: .plain
    }
  }
}
