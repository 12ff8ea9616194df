/// What is wrong with a JSON text.
package enum JSONFault: Error, Hashable, Sendable {
  case missing(Unicode.Scalar)
  case repeatedName(String)
  case tooManyMembers(limit: Int)
  case tooManyValues(limit: Int)
  case tooDeep(limit: Int)
  case noValue, textAfterValue, ended
  case openString, notUTF8, controlCharacter
  case cutEscape, unknownEscape, notHexadecimal, loneSurrogate
  case noDigit, leadingZero, tooLarge, notWhole
}

/// Reads the parts of a JSON text (RFC 8259), of which it holds nothing.
///
/// What they make is for whoever calls: ``JSONParser`` builds values that nest, within bounds; a reader of
/// records wants one flat object, and numbers as they are written. After a fault, `place` is where.
package struct JSONScanner {
  /// The byte that is read next.
  package var place = 0
  /// Whether text that is not Unicode is repaired, as browsers do, and not refused.
  private let repairs: Bool

  /// Makes a scanner at the first byte.
  package init(repairing repairs: Bool = false) { self.repairs = repairs }

  /// The next byte; `nil` at the end.
  @inline(__always)
  package func peek(_ text: Span<UInt8>) -> UInt8? { place < text.count ? text[place] : nil }

  /// Passes over white space.
  package mutating func skipSpace(_ text: Span<UInt8>) {
    while let byte = peek(text), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      place += 1
    }
  }

  /// Passes over a byte if it is the next.
  package mutating func take(_ letter: Unicode.Scalar, _ text: Span<UInt8>) -> Bool {
    guard peek(text) == UInt8(ascii: letter) else { return false }
    place += 1
    return true
  }

  /// Passes over a word if it is what follows.
  mutating func take(word: String, _ text: Span<UInt8>) -> Bool {
    let start = place
    for letter in word.unicodeScalars where !take(letter, text) {
      place = start
      return false
    }
    return true
  }

  /// Passes over white space and a letter that must follow.
  package mutating func expect(
    _ letter: Unicode.Scalar, _ text: Span<UInt8>
  ) throws(JSONFault) {
    skipSpace(text)
    guard take(letter, text) else { throw .missing(letter) }
  }

  /// Whether another element follows, before which a comma is passed over, or else what closes them.
  package mutating func more(
    until closing: Unicode.Scalar, isFirst: Bool, _ text: Span<UInt8>
  ) throws(JSONFault) -> Bool {
    skipSpace(text)
    if take(closing, text) { return false }
    guard isFirst || take(",", text) else { throw .missing(closing) }
    skipSpace(text)
    return true
  }

  /// The name of a member.
  package mutating func name(_ text: Span<UInt8>) throws(JSONFault) -> String {
    try expect("\"", text)
    return String(decoding: try string(text), as: UTF8.self)
  }

  /// Makes sure that nothing but white space is left.
  package mutating func finish(_ text: Span<UInt8>) throws(JSONFault) {
    skipSpace(text)
    guard peek(text) == nil else { throw .textAfterValue }
  }

  /// The UTF-8 of the string whose opening quote was passed, with its escapes resolved.
  package mutating func string(_ text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
    var bytes: [UInt8] = []
    var isASCII = true
    while let byte = peek(text) {
      place += 1
      switch byte {
      case UInt8(ascii: "\""):
        if isASCII || String(validating: bytes, as: UTF8.self) != nil { return bytes }
        guard repairs else { throw .notUTF8 }
        return Array(String(decoding: bytes, as: UTF8.self).utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: String(try escaped(text)).utf8)
      case 0..<0x20: throw .controlCharacter
      default:
        if byte >= 0x80 { isASCII = false }
        bytes.append(byte)
      }
    }
    throw .openString
  }

  /// Passes over the digits of a whole number, and says where they stand.
  package mutating func digits(_ text: Span<UInt8>) throws(JSONFault) -> Range<Int> {
    let start = place
    while let byte = peek(text), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      place += 1
    }
    guard place > start else { throw .noDigit }
    guard place == start + 1 || text[start] != UInt8(ascii: "0") else { throw .leadingZero }
    return start..<place
  }

  /// Passes over what may follow the digits of a whole number: a fraction, an exponent.
  mutating func passFraction(_ text: Span<UInt8>) throws(JSONFault) {
    func passDigits(_ place: inout Int) -> Bool {
      let start = place
      while place < text.count, (0x30...0x39).contains(text[place]) { place += 1 }
      return place > start
    }
    if take(".", text), !passDigits(&place) { throw .noDigit }
    guard take("e", text) || take("E", text) else { return }
    if !take("+", text) { _ = take("-", text) }
    guard passDigits(&place) else { throw .noDigit }
  }

  private mutating func escaped(_ text: Span<UInt8>) throws(JSONFault) -> Unicode.Scalar {
    guard let byte = peek(text) else { throw .cutEscape }
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
      let rest = place
      if UTF16.isLeadSurrogate(first), take("\\", text), take("u", text) {
        let second = try codeUnit(text)
        if UTF16.isTrailSurrogate(second) {
          return UTF16.decode(UTF16.EncodedScalar([first, second]))
        }
      }
      guard repairs else { throw .loneSurrogate }
      place = rest
      return "\u{FFFD}"
    default: throw .unknownEscape
    }
  }

  private mutating func codeUnit(_ text: Span<UInt8>) throws(JSONFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek(text), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .notHexadecimal
      }
      unit = unit << 4 | UInt16(digit)
      place += 1
    }
    return unit
  }
}
