package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// An integer with 64 bits and a sign; zero is not negative.
  case number(isNegative: Bool, magnitude: UInt64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])
}

package struct JSONMember: Hashable, Sendable {
  /// The text before the colon.
  package let name: String
  /// The value after the colon.
  package let value: JSONValue

  package init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

extension JSONValue {
  package static func integer(_ value: some BinaryInteger) -> JSONValue {
    .number(isNegative: value < 0, magnitude: UInt64(value.magnitude))
  }

  package static func unsigned(_ value: UInt64) -> JSONValue {
    .number(isNegative: false, magnitude: value)
  }

  /// Returns a string, or null without one.
  package static func optional(_ text: String?) -> JSONValue {
    text.map(JSONValue.string) ?? .null
  }

  /// The value of the first member with a name; `nil` if there is none, or if this is no object.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The text; `nil` for any other value.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The unsigned integer; `nil` for any other value.
  package var wholeNumber: UInt64? {
    if case .number(false, let number) = self { number } else { nil }
  }

  /// The integer as an index or a count.
  package var count: Int? { wholeNumber.flatMap { Int(exactly: $0) } }

  /// The elements of a list; `nil` for any other value.
  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  package var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number, .real: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}
