import Analysis
import ArgumentParser
import CommandLineInterface
import Reporting

/// The form in which a verdict is written.
enum GateFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, junit, markdown, github

  func bytes(_ verdict: Verdict, style: TextStyle) throws -> [UInt8] {
    switch self {
    case .text: Array(style.legible(GateReport.text(verdict, style: style)).utf8)
    case .json: try VerdictJSON.document(verdict)
    case .junit: Array(GateJUnit.document(verdict).utf8)
    case .markdown: Array(GateMarkdown.text(verdict).utf8)
    case .github:
      Array((GateAnnotations.text(verdict) + GateReport.text(verdict, style: .plain)).utf8)
    }
  }
}

/// A file for the verdict, as in `junit=gate.xml`.
struct GateOutput: ExpressibleByArgument {
  var format: GateFormat
  var path: String

  init(format: GateFormat, path: String) {
    self.format = format
    self.path = path
  }

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let format = GateFormat(rawValue: parts[0]) else { return nil }
    self.init(format: format, path: parts[1])
  }
}
