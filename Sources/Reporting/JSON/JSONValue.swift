/// A JSON document in the order in which it is to be written.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])
}

package struct JSONMember: Hashable, Sendable {
  package let name: String
  package let value: JSONValue

  package init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

extension JSONValue {
  /// The string, or null where there is none.
  package static func optional(_ text: String?) -> JSONValue {
    text.map(JSONValue.string) ?? .null
  }
}
