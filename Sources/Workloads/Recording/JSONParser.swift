/// Reads one JSON value from bytes (RFC 8259), with bounded depth and whole numbers only.
///
/// Numbers keep all 64 bits, which a reader through doubles would not. O(bytes) in time and memory.
struct JSONParser {
  /// The deepest nesting of lists and objects.
  static let maximumDepth = 8

  /// Why a text is not the JSON that a recording holds.
  struct Failure: Error, Hashable {
    /// The byte within the text, from 0.
    var offset: Int
    var cause: String
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The value that the bytes hold, with nothing but white space around it.
  static func parse(_ bytes: ArraySlice<UInt8>) throws(Failure) -> JSONValue {
    var parser = JSONParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.endIndex else {
      throw parser.failure("more text follows the value")
    }
    return value
  }

  private func failure(_ cause: String) -> Failure {
    Failure(offset: position - bytes.startIndex, cause: cause)
  }

  private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> JSONValue {
    skipSpace()
    guard let byte = next else { throw failure("the line ends within a value") }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: return try word()
    }
  }

  private mutating func object(depth: Int) throws(Failure) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw failure("the nesting is deeper than \(Self.maximumDepth)")
    }
    position += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
      let name = try string()
      guard members.count < 64 else { throw failure("an object has more than 64 members") }
      guard !members.contains(where: { $0.name == name }) else {
        throw failure("a name occurs twice")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon is expected") }
      members.append(.init(name: name, value: try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw failure("a comma or } is expected") }
    }
  }

  private mutating func array(depth: Int) throws(Failure) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw failure("the nesting is deeper than \(Self.maximumDepth)")
    }
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(values) }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(values) }
      guard take(UInt8(ascii: ",")) else { throw failure("a comma or ] is expected") }
    }
  }

  private mutating func number() throws(Failure) -> JSONValue {
    let isNegative = take(UInt8(ascii: "-"))
    let start = position
    var magnitude: UInt64 = 0
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !overflow, !carry else { throw failure("the number needs more than 64 bits") }
      magnitude = sum
      position += 1
    }
    guard position > start else { throw failure("a digit is expected") }
    guard position == start + 1 || bytes[start] != UInt8(ascii: "0") else {
      throw failure("a number begins with a superfluous zero")
    }
    if let byte = next,
      byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e")
        || byte == UInt8(ascii: "E")
    {
      throw failure("numbers are whole here, without fraction or exponent")
    }
    return .number(isNegative: isNegative && magnitude > 0, magnitude: magnitude)
  }

  private mutating func word() throws(Failure) -> JSONValue {
    for (text, value) in [("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null)]
    where bytes[position...].starts(with: text.utf8) {
      position += text.utf8.count
      return value
    }
    throw failure("a value is expected")
  }

  private mutating func string() throws(Failure) -> String {
    position += 1
    var content: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else {
          throw failure("a text is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20: throw failure("a control character stands in a text")
      default: content.append(byte)
      }
    }
    throw failure("the line ends within a text")
  }

  private mutating func escape(into content: inout [UInt8]) throws(Failure) {
    guard let byte = next else { throw failure("the line ends within a text") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      var unit = UInt32(try hexadecimal())
      if unit >= 0xD800, unit < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let low = UInt32(try hexadecimal())
        guard low >= 0xDC00, low < 0xE000 else { throw failure("half of a surrogate pair") }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else { throw failure("half of a surrogate pair") }
      content.append(contentsOf: Array(String(scalar).utf8))
    default: throw failure("an unknown escape stands in a text")
    }
  }

  private mutating func hexadecimal() throws(Failure) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("four hexadecimal digits are expected")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
