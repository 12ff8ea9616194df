import EvictionPolicies

/// What traces call operations.
///
/// The names of memcached's protocol, of storage traces and of our own; case does not matter.
enum OperationName {
  static let all: [(operation: TraceOperation, names: [String])] = [
    (.get, ["get", "gets", "read", "r", "get_lease"]),
    (
      .set,
      [
        "set", "put", "write", "w", "add", "replace", "cas", "append", "prepend", "incr", "decr",
        "set_lease",
      ]
    ),
    (.update, ["update", "invalidate"]),
    (.delete, ["delete", "del", "remove"]),
  ]

  /// The same as bytes, since a trace names an operation on every line.
  private static let bytes: [(operation: TraceOperation, name: [UInt8])] = all.flatMap { entry in
    entry.names.map { (entry.operation, Array($0.utf8)) }
  }

  /// `nil` for a name that no operation has.
  static func operation(_ text: Span<UInt8>) -> TraceOperation? {
    for (operation, name) in bytes where equals(name, text) { return operation }
    return nil
  }

  static var known: String { all.flatMap(\.names).joined(separator: ", ") }

  private static func equals(_ name: [UInt8], _ text: Span<UInt8>) -> Bool {
    guard name.count == text.count else { return false }
    for index in text.indices {
      let byte = text[index]
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      guard name[index] == (isUpper ? byte | 0x20 : byte) else { return false }
    }
    return true
  }
}
