package import Analysis

/// A verdict as annotations of GitHub Actions: the worst findings as errors, open ones as warnings.
///
/// GitHub shows ten of each at most, and people read fewer.
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

  /// What ends a line or begins an escape is written as an escape.
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

  /// In a property also what ends it.
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
