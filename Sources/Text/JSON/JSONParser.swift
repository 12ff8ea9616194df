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
