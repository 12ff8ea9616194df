/// The properties of GraphQL operations by their text: kinds, names, and the names in answers that are
/// aliases or depend on arguments.
///
/// It scans tokens (GraphQL specification, October 2021, section 2.1) without a grammar: an invalid text has
/// no operations. O(bytes).
struct GraphQLText {
  enum Kind: String { case query, mutation, subscription }

  private(set) var operations: [(kind: Kind, name: String?)] = []
  /// The field of each alias; used for look-ups only.
  private(set) var fieldOfAlias: [String: String] = [:]
  /// The arguments of each name in an answer, as text; used for look-ups only.
  private(set) var arguments: [String: String] = [:]

  private static let mostTokens = 200_000

  init(_ text: String) {
    let tokens = Self.tokens(of: text)
    var (index, depth) = (0, 0)
    while index < tokens.count {
      let token = tokens[index]
      if token == "{" {
        if depth == 0, operations.isEmpty, index == 0 { operations.append((.query, nil)) }
        depth += 1
      } else if token == "}" {
        depth -= 1
      } else if token == "(" {
        index = Self.end(of: tokens, from: index)
        continue
      } else if token == "..." {
        // The name of a fragment, or `on` and a type.
        index += index + 1 < tokens.count && tokens[index + 1] == "on" ? 2 : 0
        index +=
          index + 1 < tokens.count && tokens[index + 1] != "{" && tokens[index + 1] != "@"
          ? 1 : 0
      } else if token == "@" {
        index += 1
      } else if depth == 0, let kind = Kind(rawValue: token) {
        let next = index + 1 < tokens.count ? tokens[index + 1] : ""
        operations.append((kind, Self.isName(next) ? next : nil))
        index += Self.isName(next) ? 1 : 0
      } else if depth > 0, Self.isName(token) {
        index = readField(tokens, index)
        continue
      }
      index += 1
    }
  }

  private mutating func readField(_ tokens: [String], _ start: Int) -> Int {
    var index = start + 1
    let name = tokens[start]
    if index + 1 < tokens.count, tokens[index] == ":", Self.isName(tokens[index + 1]) {
      fieldOfAlias[name] = tokens[index + 1]
      // The same name may represent another field elsewhere.
      arguments[name, default: ""] += tokens[index + 1]
      index += 2
    }
    if index < tokens.count, tokens[index] == "(" {
      let end = Self.end(of: tokens, from: index)
      arguments[name, default: ""] += tokens[index..<end].joined(separator: " ")
      index = end
    }
    return index
  }

  /// Returns the index after the matching closing parenthesis.
  private static func end(of tokens: [String], from start: Int) -> Int {
    var (index, depth) = (start, 0)
    while index < tokens.count {
      if tokens[index] == "(" { depth += 1 }
      if tokens[index] == ")" { depth -= 1 }
      index += 1
      if depth == 0 { break }
    }
    return index
  }

  private static func isName(_ token: String) -> Bool {
    token.utf8.first.map { isLetter($0) } ?? false
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func tokens(of text: String) -> [String] {
    let bytes = Array(text.utf8)
    var (tokens, index) = ([String](), 0)
    func take(_ end: Int) {
      tokens.append(String(decoding: bytes[index..<end], as: UTF8.self))
      index = end
    }
    while index < bytes.count, tokens.count < mostTokens {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "#"):
        index = bytes[index...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      case UInt8(ascii: "\""): take(endOfString(bytes, index))
      case UInt8(ascii: "."): take(min(index + 3, bytes.count))
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), 0xEF, 0xBB, 0xBF: index += 1
      case _ where isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "$"):
        take(
          bytes[(index + 1)...].firstIndex { !isLetter($0) && !(0x30...0x39).contains($0) }
            ?? bytes.count)
      default: take(index + 1)
      }
    }
    return tokens
  }

  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    let quote = UInt8(ascii: "\"")
    let isBlock = bytes[start...].starts(with: [quote, quote, quote])
    var index = start + (isBlock ? 3 : 1)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 2
      } else if isBlock
        ? bytes[index...].starts(with: [quote, quote, quote]) : bytes[index] == quote
      {
        return index + (isBlock ? 3 : 1)
      } else {
        index += 1
      }
    }
    return bytes.count
  }
}
