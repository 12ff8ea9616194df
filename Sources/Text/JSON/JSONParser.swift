/// Reads one JSON value from bytes (RFC 8259), with bounded depth and whole numbers only.
///
/// Numbers keep all 64 bits, which a reader through doubles would not. O(bytes) in time and memory.
package struct JSONParser {
  /// The deepest nesting of lists and objects.
  static let maximumDepth = 8
  /// The most members of an object, each of which is compared with those before it.
  static let maximumMembers = 64

  /// Why a text is not such a value.
  package struct Failure: Error, Hashable {
    /// The byte within the text, from 0.
    package var offset: Int
    /// What is wrong there.
    package var cause: String
  }

  private var scanner = JSONScanner()

  /// The value that the bytes hold, with nothing but white space around it.
  package static func parse(_ bytes: ArraySlice<UInt8>) throws(Failure) -> JSONValue {
    var parser = JSONParser()
    do throws(JSONFault) {
      let value = try parser.value(bytes.span, depth: 0)
      try parser.scanner.finish(bytes.span)
      return value
    } catch {
      throw Failure(offset: parser.scanner.place, cause: error.words)
    }
  }

  private mutating func value(_ text: Span<UInt8>, depth: Int) throws(JSONFault) -> JSONValue {
    scanner.skipSpace(text)
    guard let byte = scanner.peek(text) else { throw .ended }
    switch byte {
    case UInt8(ascii: "{"): return .object(try members(text, depth: depth))
    case UInt8(ascii: "["): return .array(try elements(text, depth: depth))
    case UInt8(ascii: "\""):
      scanner.place += 1
      return .string(String(decoding: try scanner.string(text), as: UTF8.self))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(text)
    default: return try word(text)
    }
  }

  private mutating func members(
    _ text: Span<UInt8>, depth: Int
  ) throws(JSONFault) -> [JSONMember] {
    try begin(depth: depth)
    var members: [JSONMember] = []
    while try scanner.more(until: "}", isFirst: members.isEmpty, text) {
      let name = try scanner.name(text)
      guard members.count < Self.maximumMembers else {
        throw .tooManyMembers(limit: Self.maximumMembers)
      }
      guard !members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw .repeatedName(name)
      }
      try scanner.expect(":", text)
      members.append(JSONMember(name, try value(text, depth: depth + 1)))
    }
    return members
  }

  private mutating func elements(
    _ text: Span<UInt8>, depth: Int
  ) throws(JSONFault) -> [JSONValue] {
    try begin(depth: depth)
    var values: [JSONValue] = []
    while try scanner.more(until: "]", isFirst: values.isEmpty, text) {
      values.append(try value(text, depth: depth + 1))
    }
    return values
  }

  private mutating func begin(depth: Int) throws(JSONFault) {
    guard depth < Self.maximumDepth else { throw .tooDeep(limit: Self.maximumDepth) }
    scanner.place += 1
  }

  private mutating func number(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
    let isNegative = scanner.take("-", text)
    let digits = text.extracting(try scanner.digits(text))
    guard let magnitude = DecimalDigits.canonical(digits) else { throw .tooLarge }
    switch scanner.peek(text) {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): throw .notWhole
    default: return .number(isNegative: isNegative && magnitude > 0, magnitude: magnitude)
    }
  }

  private mutating func word(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
    if scanner.take(word: "true", text) { return .bool(true) }
    if scanner.take(word: "false", text) { return .bool(false) }
    guard scanner.take(word: "null", text) else { throw .noValue }
    return .null
  }
}

extension JSONFault {
  /// The cause, in the words of what reads lines.
  fileprivate var words: String {
    switch self {
    case .missing("\""): "a name in quotes is expected"
    case .missing(":"): "a colon is expected"
    case .missing(let closing): "a comma or \(closing) is expected"
    case .repeatedName: "a name occurs twice"
    case .tooManyMembers(let limit): "an object has more than \(limit) members"
    case .tooDeep(let limit): "the nesting is deeper than \(limit)"
    case .noValue: "a value is expected"
    case .textAfterValue: "more text follows the value"
    case .openString, .cutEscape: "the line ends within a text"
    case .notUTF8: "a text is not UTF-8"
    case .controlCharacter: "a control character stands in a text"
    case .unknownEscape: "an unknown escape stands in a text"
    case .notHexadecimal: "four hexadecimal digits are expected"
    case .loneSurrogate: "half of a surrogate pair"
    case .noDigit: "a digit is expected"
    case .leadingZero: "a number begins with a superfluous zero"
    case .tooLarge: "the number needs more than 64 bits"
    case .notWhole: "numbers are whole here, without fraction or exponent"
    case .ended: "the line ends within a value"
    }
  }
}

/// What is wrong with a JSON text.
package enum JSONFault: Error, Hashable, Sendable {
  case missing(Unicode.Scalar)
  case repeatedName(String)
  case tooManyMembers(limit: Int)
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

  /// Makes a scanner at the first byte.
  package init() {}

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
        guard isASCII || String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        return bytes
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
      guard UTF16.isLeadSurrogate(first), take("\\", text), take("u", text) else {
        throw .loneSurrogate
      }
      let second = try codeUnit(text)
      guard UTF16.isTrailSurrogate(second) else { throw .loneSurrogate }
      return UTF16.decode(UTF16.EncodedScalar([first, second]))
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
