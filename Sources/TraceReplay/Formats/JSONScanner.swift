import CacheModel

/// Reads one flat JSON object: members whose values are strings or whole numbers.
///
/// Nothing nests, so no input makes it recurse.
struct JSONScanner {
  struct Member {
    var name: String
    /// The bytes of a string, unescaped, or the digits of a number.
    var value: [UInt8]
  }

  private var place = 0

  /// More members than any record has; a name that repeats is an error sooner.
  private static let memberLimit = 16

  /// Whether only blanks are left.
  mutating func isAtEnd(of text: Span<UInt8>) -> Bool {
    skipBlanks(text)
    return place == text.count
  }

  mutating func object(_ text: Span<UInt8>) throws(RecordFault) -> [Member] {
    var members: [Member] = []
    try expect("{", text)
    skipBlanks(text)
    if peek(text) == UInt8(ascii: "}") {
      place += 1
    } else {
      while true {
        skipBlanks(text)
        let name = String(decoding: try string(text), as: UTF8.self)
        guard !members.contains(where: { $0.name == name }) else {
          throw .notJSON("the member '\(name.excerpt)' stands there twice")
        }
        guard members.count < Self.memberLimit else { throw .notJSON("there are too many members") }
        try expect(":", text)
        skipBlanks(text)
        guard peek(text) != UInt8(ascii: "-") else { throw .negative(column: name) }
        members.append(Member(name: name, value: try value(text)))
        skipBlanks(text)
        guard peek(text) == UInt8(ascii: ",") else { break }
        place += 1
      }
      try expect("}", text)
    }
    guard isAtEnd(of: text) else { throw .notJSON("something follows the object") }
    return members
  }

  private mutating func value(_ text: Span<UInt8>) throws(RecordFault) -> [UInt8] {
    skipBlanks(text)
    if peek(text) == UInt8(ascii: "\"") { return try string(text) }
    var digits: [UInt8] = []
    while let byte = peek(text), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      digits.append(byte)
      place += 1
    }
    guard !digits.isEmpty, digits.count == 1 || digits[0] != UInt8(ascii: "0") else {
      throw .notJSON("a value is neither a string nor a whole number from 0")
    }
    return digits
  }

  private mutating func string(_ text: Span<UInt8>) throws(RecordFault) -> [UInt8] {
    try expect("\"", text)
    var bytes: [UInt8] = []
    while let byte = peek(text) {
      place += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard String(validating: bytes, as: UTF8.self) != nil else {
          throw .notJSON("a string is not UTF-8")
        }
        return bytes
      case UInt8(ascii: "\\"): bytes.append(contentsOf: String(try escaped(text)).utf8)
      case 0..<0x20: throw .notJSON("a string holds a control character")
      default: bytes.append(byte)
      }
    }
    throw .notJSON("a string is not closed")
  }

  private mutating func escaped(_ text: Span<UInt8>) throws(RecordFault) -> Unicode.Scalar {
    guard let byte = peek(text) else { throw .notJSON("an escape is cut short") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let first = try codeUnit(text)
      if let scalar = Unicode.Scalar(first) { return scalar }
      guard UTF16.isLeadSurrogate(first), peek(text) == UInt8(ascii: "\\") else {
        throw .notJSON("a surrogate stands alone")
      }
      place += 1
      guard peek(text) == UInt8(ascii: "u") else { throw .notJSON("a surrogate stands alone") }
      place += 1
      let second = try codeUnit(text)
      guard UTF16.isTrailSurrogate(second) else { throw .notJSON("a surrogate stands alone") }
      return UTF16.decode(UTF16.EncodedScalar([first, second]))
    default: throw .notJSON("an escape is unknown")
    }
  }

  private mutating func codeUnit(_ text: Span<UInt8>) throws(RecordFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek(text), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .notJSON("an escape is not four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      place += 1
    }
    return unit
  }

  private mutating func expect(_ letter: Unicode.Scalar, _ text: Span<UInt8>) throws(RecordFault) {
    skipBlanks(text)
    guard peek(text) == UInt8(ascii: letter) else {
      throw .notJSON("'\(letter)' is missing at byte \(place + 1) of the line")
    }
    place += 1
  }

  private func peek(_ text: Span<UInt8>) -> UInt8? { place < text.count ? text[place] : nil }

  private mutating func skipBlanks(_ text: Span<UInt8>) {
    while let byte = peek(text), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
      place += 1
    }
  }
}
