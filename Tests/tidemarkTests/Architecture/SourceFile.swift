import Foundation
import Synchronization

/// A source file of the package, by its path below the top folder.
struct SourceFile: Sendable {
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
      try known(path: "\(folder)/\($0)")
    }
  }

  /// Each is read once for all tests.
  private static let read = Mutex<[String: SourceFile]>([:])

  private static func known(path: String) throws -> SourceFile {
    if let file = read.withLock({ $0[path] }) { return file }
    let url = top.appendingPathComponent(path)
    let file = SourceFile(path: path, code: try String(contentsOf: url, encoding: .utf8))
    read.withLock { $0[path] = file }
    return file
  }

  /// The lines where these tokens stand, one after the other, as code.
  func lines(saying code: String) -> [Int] {
    let wanted = SwiftToken.tokens(of: code).map(\.text)
    guard tokens.count >= wanted.count else { return [] }
    return (0...(tokens.count - wanted.count)).compactMap { start in
      let matches = wanted.indices.allSatisfy {
        tokens[start + $0].text == wanted[$0] && tokens[start + $0].kind != .text
      }
      return matches ? tokens[start].line : nil
    }
  }

  /// The modules that the file imports, whole or in part, and the lines that say so.
  var imports: [(module: String, line: Int)] {
    tokens.indices.dropLast().compactMap { index in
      guard tokens[index].text == "import", tokens[index].kind == .word else { return nil }
      // `import struct Foundation.URL` imports from Foundation.
      let isPart = Self.declarations.contains(tokens[index + 1].text)
      let name = index + (isPart ? 2 : 1)
      return tokens.indices.contains(name) ? (tokens[name].text, tokens[index].line) : nil
    }
  }

  private static let declarations: Set<String> = [
    "actor", "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
  ]
}
