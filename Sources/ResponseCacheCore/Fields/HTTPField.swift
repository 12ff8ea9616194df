/// A field of a header.
public struct HTTPField: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [HTTPField] {
  /// The values of all fields of a name, in order; the name in lower case, fields match in any.
  package func values(of name: String) -> [String] {
    compactMap { $0.name.lowercased() == name ? $0.value : nil }
  }
}
