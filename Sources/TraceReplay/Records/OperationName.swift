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

  /// `nil` for a name that no operation has.
  static func operation(_ text: some Collection<UInt8>) -> TraceOperation? {
    for (operation, names) in all
    where names.contains(where: { equals($0, text) }) {
      return operation
    }
    return nil
  }

  static var known: String { all.flatMap(\.names).joined(separator: ", ") }

  private static func equals(_ name: String, _ text: some Collection<UInt8>) -> Bool {
    name.utf8.count == text.count
      && zip(name.utf8, text).allSatisfy { letter, byte in
        letter == (byte >= 65 && byte <= 90 ? byte | 32 : byte)
      }
  }
}
