/// JUnit XML, in the dialect that Jenkins' `junit-10.xsd` describes.
enum JUnit {
  struct Suite {
    var name: String
    var cases: [Case]
  }

  struct Case {
    var name: String
    var outcome: Outcome
    /// What is told of it; empty: nothing.
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
