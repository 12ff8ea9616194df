import CacheModel

/// Reads the one form that ``CanonicalValue`` writes; anything else is no input of a typed query.
///
/// O(bytes), with bounded nesting.
struct CanonicalReader {
  /// The deepest nesting of lists and objects.
  static let maximumDepth = 64

  private let bytes: [UInt8]
  private var place = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// - Throws: ``QueryInputError/notCanonical(offset:)``.
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
