package import Analysis
import ResultModel

/// A verdict as JUnit XML, in the dialect that Jenkins' `junit-10.xsd` describes: a suite for each
/// scenario, a case for each policy and target.
///
/// What got worse is a `failure`; what is missing, inconclusive or not comparable is an `error`, and
/// nothing is ever `skipped`.
package enum GateJUnit {
  package static func document(_ verdict: Verdict) -> String {
    let entries = GateResults(verdict).entries
    let suites = entries.distinct(\.scenario).map { scenario in
      suite(scenario, entries.filter { $0.scenario == scenario })
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tidemark gate\">\n"
      + suites.joined() + "</testsuites>\n"
  }

  private static func suite(_ scenario: String, _ entries: [GateResults.Entry]) -> String {
    let failures = entries.count { $0.level == .failed }
    let errors = entries.count { $0.level == .doubtful }
    return "  <testsuite name=\"\(escaped(scenario))\" tests=\"\(entries.count)\" "
      + "failures=\"\(failures)\" errors=\"\(errors)\">\n"
      + entries.map(testCase).joined() + "  </testsuite>\n"
  }

  private static func testCase(_ entry: GateResults.Entry) -> String {
    let head =
      "    <testcase classname=\"\(escaped(entry.scenario))\" name=\"\(escaped(entry.name))\""
    let element: String
    switch entry.level {
    case .passed: return head + "/>\n"
    case .failed: element = "failure"
    case .doubtful: element = "error"
    }
    return head + ">\n      <\(element) message=\"\(escaped(entry.message))\"/>\n    </testcase>\n"
  }

  /// The text as the value of an attribute; what XML 1.0 cannot hold becomes U+FFFD.
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
