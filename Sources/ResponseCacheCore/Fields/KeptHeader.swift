/// A field of the request that selected the server's answer (RFC 9111, section 4.1).
package struct SelectingField: Hashable, Sendable {
  /// The name in lower case.
  package var name: String
  /// The values of all its lines, in order; `nil`: the request had none.
  package var value: String?

  package init(name: String, value: String?) {
    self.name = name
    self.value = value
  }

  init(name: String, of request: [HTTPField]) {
    let lines = request.values(of: name).map { Substring($0).withoutSpace }
    self.init(name: name, value: lines.isEmpty ? nil : lines.joined(separator: ", "))
  }
}

package indirect enum KeptHeader: Hashable, Sendable {
  /// The header is unknown or empty.
  case none
  /// Its fields in order, and those of the request that `Vary` names.
  case fields([HTTPField], selectedBy: [SelectingField])

  /// The maximum size of a stored header, in bytes as counted by ``byteCount``.
  package static let maximumBytes = 16_384

  /// Stores an answer's header, without fields that must not be stored (section 3.1) and without `Age`, which
  /// changes.
  package init(_ fields: [HTTPField], request: [HTTPField]) {
    let named = fields.values(of: "connection").flatMap { FieldReader.tokens($0) ?? [] }
    let dropped = Self.unstored.union(named.map { $0.lowercased() })
    self.init(kept: fields.filter { !dropped.contains($0.name.lowercased()) }, request: request)
  }

  private init(kept: [HTTPField], request: [HTTPField]) {
    guard !kept.isEmpty else {
      self = .none
      return
    }
    var names: [String] = []
    for name in kept.values(of: "vary").flatMap({ FieldReader.tokens($0) ?? [] }) {
      if !names.contains(name.lowercased()) { names.append(name.lowercased()) }
    }
    self = .fields(kept, selectedBy: names.map { SelectingField(name: $0, of: request) })
  }

  /// Fields of the connection, not of the answer; `Age` is recomputed.
  private static let unstored: Set = [
    "age", "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Fields that a 304 does not replace: they describe the stored body (section 3.2).
  private static let ofBody: Set = [
    "content-encoding", "content-length", "content-range", "content-type",
  ]

  package var fields: [HTTPField] {
    guard case .fields(let fields, _) = self else { return [] }
    return fields
  }

  package var selecting: [SelectingField] {
    guard case .fields(_, let selecting) = self else { return [] }
    return selecting
  }

  /// The size for limits on files and memory: its text, and 32 bytes for each field.
  package var byteCount: Int {
    fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
      + selecting.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 32 }
  }

  /// Returns whether the answer matches a request with these fields.
  package func selects(_ request: [HTTPField]) -> Bool {
    selecting.allSatisfy { SelectingField(name: $0.name, of: request) == $0 }
  }

  /// Returns the header with fields of a 304 replacing those of the same names (section 3.2).
  ///
  /// The date is that of the 304, or of its arrival.
  package func updated(with other: KeptHeader, request: [HTTPField]) -> KeptHeader {
    let added = other.fields.filter { !Self.ofBody.contains($0.name.lowercased()) }
    let replaced = Set(added.map { $0.name.lowercased() }).union(["date"])
    return KeptHeader(
      kept: fields.filter { !replaced.contains($0.name.lowercased()) } + added, request: request)
  }

  /// A field that can be a condition if there is no ETag (RFC 9110, section 13.1.3).
  package var lastModified: String? {
    let values = fields.values(of: "last-modified")
    guard let value = values.first, values.count == 1, HTTPDate(value) != nil else { return nil }
    return value
  }

  /// Returns the fields to serve, with the current age (section 5.1).
  func served(age: Duration) -> [HTTPField] {
    fields + [HTTPField("Age", "\(max(age, .zero).components.seconds)")]
  }
}

extension Substring {
  /// The text without leading and trailing spaces and tabs.
  fileprivate var withoutSpace: Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }
}
