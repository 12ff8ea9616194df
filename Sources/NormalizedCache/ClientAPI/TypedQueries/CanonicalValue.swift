import CacheModel

/// The input of a typed query: JSON (RFC 8259) in canonical form.
///
/// Members are sorted by the bytes of their names, without whitespace, so one input has one form, whatever
/// the order in which a program names its members. A null member differs from an absent one.
enum CanonicalValue: Sendable {
  case null
  case bool(Bool)
  /// As written.
  case number(String)
  case text(String)
  case list([CanonicalValue])
  case object([(name: String, value: CanonicalValue)])

  /// The kind of value, for error messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .text(let text): Self.append(text, to: &bytes)
    case .list(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

protocol CanonicalLeaf: Codable {
  /// Reads the value; `nil` if the input has another kind.
  init?(_ value: CanonicalValue)
  /// The canonical form; `nil` if there is none: a number that is not finite.
  var canonical: CanonicalValue? { get }
}

extension Bool: CanonicalLeaf {
  init?(_ value: CanonicalValue) {
    guard case .bool(let value) = value else { return nil }
    self = value
  }

  var canonical: CanonicalValue? { .bool(self) }
}

extension String: CanonicalLeaf {
  init?(_ value: CanonicalValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  var canonical: CanonicalValue? { .text(self) }
}

extension CanonicalLeaf where Self: FixedWidthInteger {
  init?(_ value: CanonicalValue) {
    guard case .number(let text) = value else { return nil }
    self.init(text)
  }

  var canonical: CanonicalValue? { .number(String(self)) }
}

extension Int: CanonicalLeaf {}
extension Int8: CanonicalLeaf {}
extension Int16: CanonicalLeaf {}
extension Int32: CanonicalLeaf {}
extension Int64: CanonicalLeaf {}
extension UInt: CanonicalLeaf {}
extension UInt8: CanonicalLeaf {}
extension UInt16: CanonicalLeaf {}
extension UInt32: CanonicalLeaf {}
extension UInt64: CanonicalLeaf {}

extension CanonicalLeaf where Self: BinaryFloatingPoint & LosslessStringConvertible {
  init?(_ value: CanonicalValue) {
    guard case .number(let text) = value else { return nil }
    self.init(text)
  }

  /// The shortest text that reads as the same number; zero has no sign, since both zeros are equal.
  var canonical: CanonicalValue? { isFinite ? .number(self == 0 ? "0.0" : description) : nil }
}

extension Double: CanonicalLeaf {}
extension Float: CanonicalLeaf {}

/// Parses the form that ``CanonicalValue`` writes; everything else is an error.
///
/// - Complexity: O(bytes), with bounded nesting.
struct CanonicalReader {
  /// The maximum nesting of lists and objects.
  static let maximumDepth = 64

  private let bytes: [UInt8]
  private var place = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func value(of bytes: [UInt8]) throws(QueryInputError) -> CanonicalValue {
    var reader = CanonicalReader(bytes)
    let value = try reader.value(depth: 0)
    guard reader.place == bytes.count else { throw reader.fault }
    return value
  }

  private var fault: QueryInputError { .notCanonical(offset: place) }

  private mutating func value(depth: Int) throws(QueryInputError) -> CanonicalValue {
    guard depth <= Self.maximumDepth, place < bytes.count else { throw fault }
    switch bytes[place] {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "["): return .list(try list(depth: depth))
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "n"):
      try take("null")
      return .null
    case UInt8(ascii: "t"):
      try take("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try take("false")
      return .bool(false)
    default: return .number(try number())
    }
  }

  private mutating func list(depth: Int) throws(QueryInputError) -> [CanonicalValue] {
    var values: [CanonicalValue] = []
    place += 1
    while !takes("]") {
      if !values.isEmpty { try take(",") }
      values.append(try value(depth: depth + 1))
    }
    return values
  }

  private mutating func members(
    depth: Int
  ) throws(QueryInputError) -> [(name: String, value: CanonicalValue)] {
    var members: [(name: String, value: CanonicalValue)] = []
    place += 1
    while !takes("}") {
      if !members.isEmpty { try take(",") }
      let name = try text()
      if let last = members.last, TextKey(last.name) >= TextKey(name) { throw fault }
      try take(":")
      members.append((name, try value(depth: depth + 1)))
    }
    return members
  }

  private mutating func number() throws(QueryInputError) -> String {
    let start = place
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"):
        place += 1
        continue
      default: break
      }
      break
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    guard Double(text) != nil else { throw fault }
    return text
  }

  private mutating func text() throws(QueryInputError) -> String {
    try take("\"")
    var utf8: [UInt8] = []
    while !takes("\"") {
      guard place < bytes.count, bytes[place] >= 0x20 else { throw fault }
      if takes("\\") {
        utf8.append(try escaped())
      } else {
        utf8.append(bytes[place])
        place += 1
      }
    }
    guard let text = String(validating: utf8, as: UTF8.self) else { throw fault }
    return text
  }

  private mutating func escaped() throws(QueryInputError) -> UInt8 {
    if takes("\"") { return UInt8(ascii: "\"") }
    if takes("\\") { return UInt8(ascii: "\\") }
    try take("u00")
    let digits = String(decoding: bytes[place..<min(place + 2, bytes.count)], as: UTF8.self)
    guard digits.count == 2, let byte = UInt8(digits, radix: 16), byte < 0x20 else { throw fault }
    place += 2
    return byte
  }

  private mutating func takes(_ letter: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: letter) else { return false }
    place += 1
    return true
  }

  private mutating func take(_ word: String) throws(QueryInputError) {
    for letter in word.unicodeScalars where !takes(letter) { throw fault }
  }
}
