import Foundation
import Synchronization

/// A source file of the package, by its path below the top folder.
struct SourceFile: Sendable {
  var path: String
  let tokens: [SwiftToken]
  /// Where each word and sign stands, in ascending order: a rule looks only where it can begin.
  private let places: [String: [Int]]

  init(path: String, code: String) {
    self.path = path
    let tokens = SwiftToken.tokens(of: code)
    self.tokens = tokens
    places = Dictionary(
      grouping: tokens.indices.filter { tokens[$0].kind != .text }, by: { tokens[$0].text })
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
    guard let first = wanted.first else { return [] }
    return places[first, default: []].compactMap { start in
      let found = tokens[start...].prefix(wanted.count)
      let matches = found.map(\.text) == wanted && found.allSatisfy { $0.kind != .text }
      return matches ? tokens[start].line : nil
    }
  }

  /// The lines that call a free function of this name.
  func lines(calling name: String) -> [Int] {
    places[name, default: []].compactMap { index in
      let before = index > 0 ? tokens[index - 1].text : ""
      let isCall =
        index + 1 < tokens.count && tokens[index].kind == .word && tokens[index + 1].text == "("
        && before != "." && before != "func"
      return isCall ? tokens[index].line : nil
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
