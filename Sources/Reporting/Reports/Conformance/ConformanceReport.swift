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

    package init(
      group: String, address: String, title: String, verdict: Verdict, findings: [[String]]
    ) {
      self.group = group
      self.address = address
      self.title = title
      self.verdict = verdict
      self.findings = findings
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

  /// - Returns: lines of at most 80 characters.
  package func text(style: TextStyle) -> String {
    var table = TextTable(columns: [
      TextTable.Column("case"), TextTable.Column("result"), TextTable.Column("what it asks"),
    ])
    for test in cases {
      table.append([
        TextTable.Cell(test.address),
        TextTable.Cell(test.verdict.rawValue, tone: test.verdict.tone),
        TextTable.Cell(test.title),
      ])
    }
    var text = table.terminal(style: style)
    for test in cases where !test.findings.isEmpty {
      let head = Self.folded("\(test.address), \(test.verdict.rawValue): \(test.title)", indent: 0)
      text += "\n" + head.map { style.paint($0, .strong) + "\n" }.joined()
      for line in test.findings.joined() {
        text += Self.folded(line, indent: 2).map { $0 + "\n" }.joined()
      }
    }
    let counts = Verdict.allCases.map { verdict in
      "\(cases.count { $0.verdict == verdict }) \(verdict.rawValue)"
    }
    return text + "\n\(cache): \(counts.joined(separator: ", "))\n"
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
