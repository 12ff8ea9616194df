import Foundation

/// A source file of the package, by its path below the top folder.
struct SourceFile {
  var path: String
  var tokens: [SwiftToken]

  init(path: String, code: String) {
    self.path = path
    tokens = SwiftToken.tokens(of: code)
  }

  /// The top folder of the package.
  static let top = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every Swift file below a folder, in order of path.
  static func all(below folder: String) throws -> [SourceFile] {
    let root = top.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
    return try (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
      SourceFile(
        path: "\(folder)/\($0)",
        code: try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8))
    }
  }

  /// Where a word was used as a name of what is imported: the modules and the lines.
  var imports: [(module: String, line: Int)] {
    tokens.indices.dropLast().compactMap { index in
      guard tokens[index].text == "import", tokens[index].kind == .word else { return nil }
      return (tokens[index + 1].text, tokens[index].line)
    }
  }
}
