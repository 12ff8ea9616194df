/// Parses one JSON value from bytes (RFC 8259), within bounds.
///
/// Integers have all 64 bits, unlike in parsers that use doubles. O(bytes) in time and memory.
package struct JSONParser {
  package struct Bounds: Sendable {
    /// The maximum nesting of lists and objects.
    var depth: Int
    var members: Int
    /// The maximum total number of values.
    var values: Int
    /// Whether fractions are accepted, the last of duplicate members is used, and invalid Unicode is
    /// replaced, as in a browser; otherwise all of these are errors.
    var isLenient: Bool

    /// The bounds of lines between programs: only integers, and no duplicates.
    static let lines = Bounds(depth: 8, members: 64, values: .max, isLenient: false)

    /// Returns the bounds for any program's output.
    package static func lenient(depth: Int, values: Int) -> Bounds {
      Bounds(depth: depth, members: .max, values: values, isLenient: true)
    }
  }

  private let bounds: Bounds
  private var count = 0

  package struct Failure: Error, Hashable {
    /// The byte offset in the text, from 0.
    package var offset: Int
    package var cause: String
  }

  private var scanner: JSONScanner

  private init(_ bounds: Bounds) {
    self.bounds = bounds
    scanner = JSONScanner(repairing: bounds.isLenient)
  }

  /// Parses the value in the bytes, with only white space around it.
  package static func parse(
    _ bytes: ArraySlice<UInt8>, within bounds: Bounds = .lines
  ) throws(Failure) -> JSONValue {
    var parser = JSONParser(bounds)
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
    count += 1
    guard count <= bounds.values else { throw .tooManyValues(limit: bounds.values) }
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
    // For a large object; names of a small one are compared directly.
    var places: [[UInt8]: Int] = [:]
    while try scanner.more(until: "}", isFirst: members.isEmpty, text) {
      let name = try scanner.name(text)
      guard members.count < bounds.members else { throw .tooManyMembers(limit: bounds.members) }
      if members.count == Self.fewMembers {
        for (place, member) in members.enumerated() { places[Array(member.name.utf8)] = place }
      }
      let former =
        members.count < Self.fewMembers
        ? members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } : places[Array(name.utf8)]
      guard former == nil || bounds.isLenient else { throw .repeatedName(name) }
      try scanner.expect(":", text)
      let member = JSONMember(name, try value(text, depth: depth + 1))
      if let former {
        members[former] = member
      } else {
        if members.count >= Self.fewMembers { places[Array(name.utf8)] = members.count }
        members.append(member)
      }
    }
    return members
  }

  private static let fewMembers = 64

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
    guard depth < bounds.depth else { throw .tooDeep(limit: bounds.depth) }
    scanner.place += 1
  }

  private mutating func number(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
    let start = scanner.place
    let isNegative = scanner.take("-", text)
    let magnitude = DecimalDigits.canonical(text.extracting(try scanner.digits(text)))
    let isWhole =
      switch scanner.peek(text) {
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): false
      default: true
      }
    if isWhole, let magnitude {
      return .number(isNegative: isNegative && magnitude > 0, magnitude: magnitude)
    }
    guard bounds.isLenient else { throw isWhole ? .tooLarge : .notWhole }
    try scanner.passFraction(text)
    let written = text.extracting(start..<scanner.place)
    var letters = ""
    for index in written.indices { letters.unicodeScalars.append(Unicode.Scalar(written[index])) }
    // A number out of range is clamped to the largest finite one.
    let number = Double(letters) ?? 0
    return .real(
      number.isFinite ? number : isNegative ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
  }

  private mutating func word(_ text: Span<UInt8>) throws(JSONFault) -> JSONValue {
    if scanner.take(word: "true", text) { return .bool(true) }
    if scanner.take(word: "false", text) { return .bool(false) }
    guard scanner.take(word: "null", text) else { throw .noValue }
    return .null
  }
}

extension JSONFault {
  /// The cause in the terms of a line parser.
  fileprivate var words: String {
    switch self {
    case .missing("\""): "a name in quotes is expected"
    case .missing(":"): "a colon is expected"
    case .missing(let closing): "a comma or \(closing) is expected"
    case .repeatedName: "a name occurs twice"
    case .tooManyMembers(let limit): "an object has more than \(limit) members"
    case .tooManyValues(let limit): "there are more than \(limit) values"
    case .tooDeep(let limit): "the nesting is deeper than \(limit)"
    case .noValue: "a value is expected"
    case .textAfterValue: "more text follows the value"
    case .openString, .cutEscape: "the line ends within a text"
    case .notUTF8: "a text is not UTF-8"
    case .controlCharacter: "a control character in a text"
    case .unknownEscape: "an unknown escape in a text"
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

/// Scans the tokens of a JSON text (RFC 8259), without storing them.
///
/// The caller interprets them: ``JSONParser`` creates nested values within bounds; a parser of records
/// requires one flat object, and numbers as text. After an error, `place` is its offset.
package struct JSONScanner {
  /// The offset of the next byte.
  package var place = 0
  /// Whether invalid Unicode is replaced, as in browsers, instead of an error.
  private let repairs: Bool

  /// Creates a scanner at the first byte.
  package init(repairing repairs: Bool = false) { self.repairs = repairs }

  /// Returns the next byte; `nil` at the end.
  @inline(__always)
  package func peek(_ text: Span<UInt8>) -> UInt8? { place < text.count ? text[place] : nil }

  package mutating func skipSpace(_ text: Span<UInt8>) {
    while let byte = peek(text), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      place += 1
    }
  }

  /// Skips a byte if it is the next; returns whether it is.
  package mutating func take(_ letter: Unicode.Scalar, _ text: Span<UInt8>) -> Bool {
    guard peek(text) == UInt8(ascii: letter) else { return false }
    place += 1
    return true
  }

  /// Skips a word if it is next; returns whether it is.
  mutating func take(word: String, _ text: Span<UInt8>) -> Bool {
    let start = place
    for letter in word.unicodeScalars where !take(letter, text) {
      place = start
      return false
    }
    return true
  }

  /// Skips white space and a required character.
  package mutating func expect(
    _ letter: Unicode.Scalar, _ text: Span<UInt8>
  ) throws(JSONFault) {
    skipSpace(text)
    guard take(letter, text) else { throw .missing(letter) }
  }

  /// Skips a comma before another element, or the closing character; returns whether there is another
  /// element.
  package mutating func more(
    until closing: Unicode.Scalar, isFirst: Bool, _ text: Span<UInt8>
  ) throws(JSONFault) -> Bool {
    skipSpace(text)
    if take(closing, text) { return false }
    guard isFirst || take(",", text) else { throw .missing(closing) }
    skipSpace(text)
    return true
  }

  package mutating func name(_ text: Span<UInt8>) throws(JSONFault) -> String {
    try expect("\"", text)
    return String(decoding: try string(text), as: UTF8.self)
  }

  /// Checks that only white space is left.
  package mutating func finish(_ text: Span<UInt8>) throws(JSONFault) {
    skipSpace(text)
    guard peek(text) == nil else { throw .textAfterValue }
  }

  /// Returns the UTF-8 of the string after its opening quote, without escapes.
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

  /// Skips the digits of an integer, and returns their range.
  package mutating func digits(_ text: Span<UInt8>) throws(JSONFault) -> Range<Int> {
    let start = place
    while let byte = peek(text), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      place += 1
    }
    guard place > start else { throw .noDigit }
    guard place == start + 1 || text[start] != UInt8(ascii: "0") else { throw .leadingZero }
    return start..<place
  }

  /// Skips the rest of a number after its integer digits: a fraction, an exponent.
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
