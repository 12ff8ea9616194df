import ResultModel

/// The results of a cache in conformance tests, for a terminal and as JUnit XML.
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

  /// Returns the cases, by address and title.
  package static func list(
    _ cases: [(address: String, title: String)], style: TextStyle
  ) -> String {
    var table = TextTable(columns: [
      TextTable.Column("case"), TextTable.Column("what it asks"),
    ])
    for test in cases { table.append([test.address, test.title]) }
    return table.terminal(style: style)
  }

  /// Returns the cases and their findings, failing cases last.
  ///
  /// Cases that were not run are grouped, with a line for each reason.
  ///
  /// - Returns: lines within the style's width.
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
    let ordered = told.filter { $0.verdict != .fail } + told.filter { $0.verdict == .fail }
    for causes in ordered.distinct(\.causes) {
      let alike = ordered.filter { $0.causes == causes }
      let test = alike[0]
      let head = Self.folded(
        "\(test.address), \(test.verdict.rawValue): \(test.title)", indent: 0, style)
      text += "\n" + head.map { style.paint($0, .strong) + "\n" }.joined()
      let more = alike.dropFirst().map(\.address)
      let lines =
        test.distinctFindings.joined()
        + (more.isEmpty ? [] : ["the same in \(more.joined(separator: ", "))"])
      for line in lines { text += Self.folded(line, indent: 2, style).map { $0 + "\n" }.joined() }
    }
    return text
  }

  /// Returns the number of cases by result, and the failing ones: a reader looks for these at the end.
  ///
  /// - Returns: lines within the style's width.
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
        indent: 0, style)
      + (failed.isEmpty
        ? []
        : Self.folded("fail: \(failed.joined(separator: ", "))", indent: 0, style)
          .map { style.paint($0, .strong) })
    return lines.map { $0 + "\n" }.joined()
  }

  /// Groups of consecutive cases that were not run for one reason; any other case is alone.
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

  /// Wraps a text at the style's width, at spaces; a longer word is broken anywhere.
  private static func folded(_ text: String, indent: Int, _ style: TextStyle) -> [String] {
    WrappedText.lines(
      text, width: style.width, head: String(repeating: " ", count: indent), indent: indent + 2)
  }
}

extension ConformanceReport.Case {
  /// The causes of its result: cases with the same causes are shown once.
  fileprivate var causes: [String] {
    let reasons = findings.compactMap(\.last).filter { $0.hasPrefix("why: ") }.distinct(\.self)
    return reasons.isEmpty ? [address] : [verdict.rawValue] + reasons
  }

  /// The findings, once for each cause.
  fileprivate var distinctFindings: [[String]] {
    let shown = findings.distinct(\.last).compactMap { last in findings.first { $0.last == last } }
    let rest = findings.count - shown.count
    return shown + (rest > 0 ? [["\(rest) more findings of the same causes"]] : [])
  }

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
