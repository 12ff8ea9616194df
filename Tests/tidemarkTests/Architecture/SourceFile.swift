import Foundation
import Synchronization

/// A source file of the package, by its path below the top folder.
struct SourceFile: Sendable {
  var path: String
  let tokens: [SwiftToken]
  /// The position of each word and sign, in ascending order: a rule looks only where it can begin.
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

  /// The lines with these tokens in sequence, as code.
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

/// A word, a number or a single sign of Swift code; a literal of text is one token.
struct SwiftToken: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case word, sign, text
  }

  var kind: Kind
  var text: String
  /// Counted from 1.
  var line: Int

  /// The tokens of code, without comments.
  ///
  /// Text inside a literal is not code, except where it is interpolated: that is read as code
  /// and follows the literal. Regular expressions between slashes are not known.
  static func tokens(of code: String) -> [SwiftToken] {
    var lexer = SwiftLexer(code)
    return lexer.tokens()
  }
}

/// Reads Swift as far as words, comments and literals go.
private struct SwiftLexer {
  private let characters: [Unicode.Scalar]
  private var position = 0
  private var line = 1
  private var found: [SwiftToken] = []

  init(_ code: String) {
    characters = Array(code.unicodeScalars)
  }

  mutating func tokens() -> [SwiftToken] {
    code(until: nil)
    return found
  }

  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    position + ahead < characters.count ? characters[position + ahead] : nil
  }

  private func isNext(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
    peek() == first && peek(1) == second
  }

  private func isNext(_ text: [Unicode.Scalar]) -> Bool {
    for index in text.indices where peek(index) != text[index] { return false }
    return true
  }

  @discardableResult
  private mutating func next() -> Unicode.Scalar {
    let character = characters[position]
    position += 1
    if character == "\n" { line += 1 }
    return character
  }

  /// Reads code to its end, or to the parenthesis that closes an interpolation.
  private mutating func code(until end: Unicode.Scalar?) {
    var depth = 0
    while let character = peek() {
      if isNext("/", "/") {
        while let character = peek(), character != "\n" { next() }
      } else if isNext("/", "*") {
        blockComment()
      } else if let hashes = literalStart() {
        literal(hashes: hashes)
      } else if Self.isWord(character) {
        word()
      } else if Self.isSpace(character) {
        next()
      } else {
        if character == "(" { depth += 1 }
        if character == ")" {
          depth -= 1
          if end == ")", depth < 0 { return }
        }
        found.append(SwiftToken(kind: .sign, text: String(next()), line: line))
      }
    }
  }

  private mutating func word() {
    let first = line
    var text = ""
    while let character = peek(), Self.isWord(character) {
      text.unicodeScalars.append(character)
      next()
    }
    found.append(SwiftToken(kind: .word, text: text, line: first))
  }

  // Nearly all of it is ASCII, which is compared at once: properties of characters are looked up.

  private static func isWord(_ character: Unicode.Scalar) -> Bool {
    if character.isASCII {
      return "a" <= character && character <= "z" || "A" <= character && character <= "Z"
        || "0" <= character && character <= "9" || character == "_"
    }
    return character.properties.isAlphabetic || character.properties.numericType != nil
  }

  private static func isSpace(_ character: Unicode.Scalar) -> Bool {
    if character.isASCII {
      return character == " " || "\t" <= character && character <= "\r"
    }
    return character.properties.isWhitespace
  }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if isNext("/", "*") {
        depth += 1
        next()
      } else if isNext("*", "/") {
        depth -= 1
        next()
      }
      next()
    } while depth > 0 && position < characters.count
  }

  /// The number signs before a quotation mark; `nil` where no literal begins.
  private func literalStart() -> Int? {
    var hashes = 0
    while peek(hashes) == "#" { hashes += 1 }
    return peek(hashes) == "\"" ? hashes : nil
  }

  private mutating func literal(hashes: Int) {
    let first = line
    for _ in 0..<hashes { next() }
    let quotes = isNext(Array("\"\"\"".unicodeScalars)) ? 3 : 1
    for _ in 0..<quotes { next() }
    let sharps = Array(repeating: Unicode.Scalar("#"), count: hashes)
    let end = Array(repeating: Unicode.Scalar("\""), count: quotes) + sharps
    let escape = [Unicode.Scalar("\\")] + sharps
    let interpolation = escape + [Unicode.Scalar("(")]
    let index = found.count
    var text = ""
    while position < characters.count, !isNext(end) {
      if isNext(interpolation) {
        for _ in 0..<(hashes + 2) { next() }
        code(until: ")")
        if peek() != nil { next() }
      } else if isNext(escape) {
        for _ in 0...hashes { next() }
        if peek() != nil { next() }
      } else {
        text.unicodeScalars.append(next())
      }
    }
    for _ in end where position < characters.count { next() }
    found.insert(SwiftToken(kind: .text, text: text, line: first), at: index)
  }
}
