import Testing

/// Compares an exporter's output with the expected one, and names the first line that differs.
func expectSnapshot(
  _ actual: some Sequence<UInt8>, _ expected: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let text = String(decoding: Array(actual), as: UTF8.self)
  guard text != expected else { return }
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  let expectedLines = expected.split(separator: "\n", omittingEmptySubsequences: false)
  let index = zip(lines, expectedLines).enumerated().first { $0.element.0 != $0.element.1 }?.offset
  let first = index ?? min(lines.count, expectedLines.count)
  func line(_ lines: [Substring]) -> String {
    first < lines.count ? String(reflecting: String(lines[first])) : "nothing"
  }
  Issue.record(
    """
    line \(first + 1) is \(line(lines)), not \(line(expectedLines)); all of it:
    \(text)
    """, sourceLocation: sourceLocation)
}

func expectSnapshot(
  _ actual: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  expectSnapshot(actual.utf8, expected, sourceLocation: sourceLocation)
}
