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
  /// What stands inside a literal is no code, except where it is interpolated: that is read as code
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

  /// How many number signs stand before a quotation mark; `nil` where no literal begins.
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
