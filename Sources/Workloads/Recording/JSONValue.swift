/// One JSON value of a recording: whole numbers only, exact over 64 bits.
enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// Zero is not negative.
  case number(isNegative: Bool, magnitude: UInt64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Hashable, Sendable {
    var name: String
    var value: JSONValue
  }

  /// What the value is, for an error.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}
