import Text

/// A 64-bit hash of a text or value, which replaces the original.
enum Print {
  static func of(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.combine(text)
    return print.below(.max)
  }

  /// Returns the hash of two hashes in order.
  static func of(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var word = (first ^ (first >> 32)) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 29) ^ second) &* 0xBF58_476D_1CE4_E5B9
    return word ^ (word >> 31)
  }

  /// Returns the hash of a JSON value, independent of the order of its members.
  static func of(_ value: JSONValue) -> UInt64 {
    switch value {
    case .null: 1
    case .bool(let value): value ? 2 : 3
    case .number(let isNegative, let magnitude): of(isNegative ? 5 : 4, magnitude)
    case .real(let value): of(6, value.bitPattern)
    case .string(let text): of(7, of(text))
    case .array(let elements): elements.reduce(8) { of($0, of($1)) }
    case .object(let members): members.reduce(9) { $0 &+ of(of($1.name), of($1.value)) }
    }
  }
}

/// The size of a value as compact JSON.
enum CompactSize {
  static func of(_ text: String) -> Int {
    text.utf8.reduce(2) { size, byte in
      size + (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : byte < 0x20 ? 6 : 1)
    }
  }

  static func ofScalar(_ value: JSONValue) -> Int {
    switch value {
    case .null: 4
    case .bool(let value): value ? 4 : 5
    case .number(let isNegative, let magnitude):
      String(magnitude).utf8.count + (isNegative ? 1 : 0)
    case .real(let value): value.description.utf8.count
    case .string(let text): of(text)
    case .array, .object: 2
    }
  }
}
