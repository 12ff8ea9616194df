/// The text by which a process hands figures to the one that started it.
///
/// A first line that says what they are, a line for each entry, with tabs between its fields, and
/// `end`, so that what was cut short is not taken for whole.
package enum ChildText {
  private static let trailer = "end"
  /// More than any process of ours has to say.
  static let largest = 1 << 24

  package static func write(_ header: String, _ entries: some Sequence<[String]>) -> String {
    ([header] + entries.map { $0.joined(separator: "\t") } + [trailer])
      .joined(separator: "\n") + "\n"
  }

  /// Reads what ``write(_:_:)`` wrote.
  ///
  /// - Parameters:
  ///   - text: the output of the process.
  ///   - header: its first line.
  ///   - entry: what the fields of a line say; `nil` for what is wrong.
  /// - Returns: the entries, in order.
  /// - Throws: ``ChildTextError`` for anything else; nothing is guessed.
  package static func read<Entry>(
    _ text: String, _ header: String, entry: ([String]) -> Entry?
  ) throws(ChildTextError) -> [Entry] {
    guard text.utf8.count <= largest else {
      throw .tooLong(bytes: text.utf8.count, limit: largest)
    }
    guard text.hasSuffix("\n") else { throw .truncated }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard lines.first.map(String.init) == header else {
      throw .wrongHeader(expected: header, found: String((lines.first ?? "").prefix(80)))
    }
    guard lines.count > 1, lines.last.map(String.init) == trailer else { throw .truncated }
    var entries: [Entry] = []
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard let entry = entry(fields.map(String.init)) else {
        throw .unreadable(line: index + 1, text: String(line.prefix(80)))
      }
      entries.append(entry)
    }
    return entries
  }
}

/// Why a text is not what a process was asked for.
package enum ChildTextError: Error, Hashable, Sendable, CustomStringConvertible {
  case wrongHeader(expected: String, found: String)
  case truncated
  case tooLong(bytes: Int, limit: Int)
  case unreadable(line: Int, text: String)

  package var description: String {
    switch self {
    case .wrongHeader(let expected, let found):
      "line 1: \"\(found)\" where \"\(expected)\" was expected; build all executables from the same "
        + "sources"
    case .truncated: "it does not end with \"end\"; the process died while it wrote"
    case .tooLong(let bytes, let limit): "it has \(bytes) bytes; at most \(limit) are read"
    case .unreadable(let line, let text):
      "line \(line): \"\(text)\" is no entry; build all executables from the same sources"
    }
  }
}
