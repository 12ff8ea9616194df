extension MemoryReport {
  private static let header = "tidemark-memory 3"
  private static let trailer = "end"
  /// More than any report has; what is longer is not one.
  private static let largestText = 4_096

  private static let figures:
    [(name: String, path: any WritableKeyPath<MemoryReport, Int> & Sendable)] = [
      ("entities", \.entities), ("queries", \.queries),
      ("payload_bytes", \.payloadBytes), ("payload_bytes_at_twice", \.payloadBytesAtTwice),
      ("cache_bytes", \.cacheBytes), ("cache_bytes_at_twice", \.cacheBytesAtTwice),
      ("active_bytes", \.activeBytes), ("resident_weight", \.residentWeight),
      ("predicted_bytes", \.predictedBytes),
      ("opened_bytes", \.openedBytes), ("closed_bytes", \.closedBytes),
    ]

  /// The report as its process prints it.
  package var text: String {
    let lines = Self.figures.map { "\($0.name) \(self[keyPath: $0.path])" }
    return ([Self.header] + lines + [Self.trailer]).joined(separator: "\n") + "\n"
  }

  /// Reads what ``text`` wrote.
  ///
  /// - Throws: ``MemoryReportError`` for anything else; nothing is guessed.
  package init(text: String) throws(MemoryReportError) {
    guard text.utf8.count <= Self.largestText else {
      throw .tooLong(bytes: text.utf8.count, limit: Self.largestText)
    }
    guard text.hasSuffix("\n") else { throw .truncated }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard lines.first.map(String.init) == Self.header else {
      throw .notAReport(firstLine: String((lines.first ?? "").prefix(80)))
    }
    guard lines.count > 1, lines.last.map(String.init) == Self.trailer else { throw .truncated }

    var values: [String: Int] = [:]
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2, Self.figures.contains(where: { $0.name == parts[0] }),
        let value = Int(parts[1]), value >= 0
      else { throw .unreadable(line: index + 1, text: String(line.prefix(80))) }
      guard values.updateValue(value, forKey: String(parts[0])) == nil else {
        throw .repeated(line: index + 1, name: String(parts[0]))
      }
    }
    var report = MemoryReport(
      entities: 0, queries: 0, payloadBytes: 0, payloadBytesAtTwice: 0, cacheBytes: 0,
      cacheBytesAtTwice: 0, activeBytes: 0, residentWeight: 0,
      predictedBytes: 0, openedBytes: 0, closedBytes: 0)
    for figure in Self.figures {
      // A live cache costs something; a zero says that nothing was counted.
      guard let value = values[figure.name], value > 0 else { throw .missing(name: figure.name) }
      report[keyPath: figure.path] = value
    }
    self = report
  }
}

/// Why a text is no memory report.
package enum MemoryReportError: Error, Hashable, Sendable, CustomStringConvertible {
  case notAReport(firstLine: String)
  case truncated
  case tooLong(bytes: Int, limit: Int)
  case unreadable(line: Int, text: String)
  case repeated(line: Int, name: String)
  case missing(name: String)

  package var description: String {
    switch self {
    case .notAReport(let firstLine):
      "line 1: \"\(firstLine)\" does not begin a memory report; build tidemark-memory and tidemark "
        + "from the same sources"
    case .truncated:
      "the memory report does not end with \"end\"; the process died while it wrote"
    case .tooLong(let bytes, let limit):
      "the memory report has \(bytes) bytes; at most \(limit) are read"
    case .unreadable(let line, let text):
      "line \(line): \"\(text)\" is no figure of a memory report; expected a known name and a count"
    case .repeated(let line, let name):
      "line \(line): \(name) is given twice"
    case .missing(let name):
      "the memory report gives no \(name), or gives 0; nothing was counted"
    }
  }
}
