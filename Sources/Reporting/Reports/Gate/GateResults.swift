package import Analysis
import ResultModel

/// The findings of a gate for formats of continuous integration: one entry for each policy of a scenario,
/// each target and each incomparable scenario.
///
/// Entries of a scenario have unique names: JUnit readers would merge equal ones.
struct GateResults {
  struct Entry {
    var scenario: String
    /// A policy, or a policy and its target.
    var name: String
    var level: Level
    /// One line with the numbers.
    var message: String
  }

  enum Level: Int, Comparable {
    case failed, doubtful, passed

    static func < (first: Level, second: Level) -> Bool { first.rawValue < second.rawValue }
  }

  /// The worst first, then in the order of the report.
  let entries: [Entry]

  init(_ verdict: Verdict) {
    var entries = verdict.incompatibilities.map { incompatibility in
      Entry(
        scenario: incompatibility.scenario ?? "baseline", name: "workload", level: .doubtful,
        message: incompatibility.explanation(renewal: verdict.renewal))
    }
    entries += verdict.failedRuns.map {
      Entry(
        scenario: $0.contender.scenario, name: $0.contender.policy, level: .doubtful,
        message: $0.reason)
    }
    var seen: Set<[String]> = []
    for kind in Finding.Kind.allCases {
      let level = Self.level(of: kind, in: verdict)
      for owner in GateReport.owners(of: kind, in: verdict) {
        let figure = owner.headline.figure
        seen.insert([figure.scenario, figure.policy])
        entries.append(
          Entry(
            scenario: figure.scenario, name: figure.policy, level: level,
            message: GateReport.message(kind, owner)))
      }
    }
    for change in verdict.changedPolicies where !change.isNamed {
      seen.insert([change.contender.scenario, change.contender.policy])
      entries.append(
        Entry(
          scenario: change.contender.scenario, name: change.contender.policy,
          level: verdict.isStrict ? .failed : .doubtful, message: GateReport.message(change)))
    }
    let unseen = verdict.contenders.filter { !seen.contains([$0.scenario, $0.policy]) }
    entries += unseen.map {
      Entry(scenario: $0.scenario, name: $0.policy, level: .passed, message: "the same")
    }
    entries += verdict.measured.map { finding in
      let figure = finding.figure
      return Entry(
        scenario: figure.scenario,
        name: (figure.policy.isEmpty ? "" : "\(figure.policy): ")
          + "\(figure.metric.name)[\(figure.class)]",
        level: finding.outcome == .worse
          ? .failed : finding.outcome.leavesDoubt ? .doubtful : .passed,
        message: MeasuredText.message(finding, among: verdict.measured))
    }
    let limits = Dictionary(grouping: verdict.targets) { Self.name(of: $0.judgement) }
      .mapValues { Set($0.map(\.judgement.target.limitText)) }
    entries += verdict.targets.map { comparison in
      let judgement = comparison.judgement
      let name = Self.name(of: judgement)
      return Entry(
        scenario: judgement.target.scenario,
        name: name.text
          + (limits[name, default: []].count > 1 ? " \(judgement.target.limitText)" : ""),
        level: Self.level(of: comparison.outcome), message: GateReport.message(comparison))
    }
    self.entries = Self.merged(entries).enumerated().sorted {
      ($0.element.level, $0.offset) < ($1.element.level, $1.offset)
    }.map(\.element)
  }

  private struct Name: Hashable {
    var scenario: String
    var text: String
  }

  private static func name(of judgement: TargetJudgement) -> Name {
    Name(
      scenario: judgement.target.scenario,
      text: (judgement.policy.isEmpty ? "" : "\(judgement.policy): ") + judgement.target.name)
  }

  /// Merges entries with the same name: as bad as the worst of them, with the messages of all that did not
  /// pass.
  private static func merged(_ entries: [Entry]) -> [Entry] {
    var places: [Name: Int] = [:]
    var merged: [Entry] = []
    for entry in entries {
      let name = Name(scenario: entry.scenario, text: entry.name)
      guard let place = places[name] else {
        places[name] = merged.count
        merged.append(entry)
        continue
      }
      let (first, second) = (merged[place], entry)
      let worst = min(first.level, second.level)
      let told = [first, second].filter { $0.level != .passed || worst == .passed }
      merged[place].level = worst
      merged[place].message = told.sorted { $0.level < $1.level }.map(\.message)
        .joined(separator: "; ")
    }
    return merged
  }

  private static func level(of kind: Finding.Kind, in verdict: Verdict) -> Level {
    if kind.fails(isStrict: verdict.isStrict) { return .failed }
    return kind.leavesDoubt ? .doubtful : .passed
  }

  private static func level(of outcome: TargetComparison.Outcome) -> Level {
    switch outcome {
    case .missed: .failed
    case .undecided: .doubtful
    case .met, .stillMissed: .passed
    }
  }
}

/// A verdict as annotations of GitHub Actions: the worst findings as errors, inconclusive ones as warnings.
///
/// GitHub shows at most ten of each.
package enum GateAnnotations {
  package static let most = 5

  package static func text(_ verdict: Verdict) -> String {
    let entries = GateResults(verdict).entries.filter { $0.level != .passed }
    return entries.prefix(most).map { entry in
      let command = entry.level == .failed ? "error" : "warning"
      let title = property("gate: \(entry.scenario)/\(entry.name)")
      return "::\(command) title=\(title)::\(escaped(entry.message))\n"
    }.joined()
  }

  /// Escapes characters that end a line or begin an escape.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Escapes characters that end a property, too.
  private static func property(_ text: String) -> String {
    escaped(text).unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case ":": result += "%3A"
      case ",": result += "%2C"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

/// A verdict as JUnit XML, in the dialect of Jenkins' `junit-10.xsd`: a suite for each scenario, a case for
/// each policy and target.
///
/// A regression is a `failure`; a missing, inconclusive or incomparable result is an `error`, and nothing is
/// ever `skipped`.
package enum GateJUnit {
  package static func document(_ verdict: Verdict) -> String {
    let entries = GateResults(verdict).entries
    let suites = entries.distinct(\.scenario).map { scenario in
      suite(scenario, entries.filter { $0.scenario == scenario })
    }
    return JUnit.document(name: "tidemark gate", suites)
  }

  private static func suite(_ scenario: String, _ entries: [GateResults.Entry]) -> JUnit.Suite {
    JUnit.Suite(
      name: scenario,
      cases: entries.map { entry in
        let outcome: JUnit.Outcome =
          switch entry.level {
          case .passed: .passed
          case .failed: .failure(entry.message)
          case .doubtful: .error(entry.message)
          }
        return JUnit.Case(name: entry.name, outcome: outcome)
      })
  }
}

/// A verdict as Markdown, for the summary of a run: failures and inconclusive results first.
package enum GateMarkdown {
  /// GitHub accepts a summary of up to 1 MiB and silently drops a larger one.
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
      // Without the title and the rule.
      let line = row.markdown().split(separator: "\n").last.map { $0 + "\n" } ?? ""
      guard text.utf8.count + line.utf8.count <= largestText else {
        return text + "\n\(entries.count - index) more are in verdict.json\n"
      }
      text += line
    }
    return text
  }
}

/// JUnit XML, in the dialect of Jenkins' `junit-10.xsd`.
enum JUnit {
  struct Suite {
    var name: String
    var cases: [Case]
  }

  struct Case {
    var name: String
    var outcome: Outcome
    /// The text of the report; empty: none.
    var output = ""
  }

  enum Outcome: Equatable {
    case passed
    case failure(String)
    case error(String)
  }

  static func document(name: String, _ suites: [Suite]) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"\(escaped(name))\">\n"
      + suites.map(text).joined() + "</testsuites>\n"
  }

  private static func text(_ suite: Suite) -> String {
    let failures = suite.cases.count { if case .failure = $0.outcome { true } else { false } }
    let errors = suite.cases.count { if case .error = $0.outcome { true } else { false } }
    return "  <testsuite name=\"\(escaped(suite.name))\" tests=\"\(suite.cases.count)\" "
      + "failures=\"\(failures)\" errors=\"\(errors)\">\n"
      + suite.cases.map { text($0, in: suite.name) }.joined() + "  </testsuite>\n"
  }

  private static func text(_ test: Case, in suite: String) -> String {
    let head = "    <testcase classname=\"\(escaped(suite))\" name=\"\(escaped(test.name))\""
    var parts = ""
    switch test.outcome {
    case .passed: break
    case .failure(let message): parts += "      <failure message=\"\(escaped(message))\"/>\n"
    case .error(let message): parts += "      <error message=\"\(escaped(message))\"/>\n"
    }
    if !test.output.isEmpty {
      parts += "      <system-out>\(escaped(test.output))</system-out>\n"
    }
    return parts.isEmpty ? head + "/>\n" : head + ">\n" + parts + "    </testcase>\n"
  }

  /// Returns the text as an attribute value; characters invalid in XML 1.0 become U+FFFD.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
