package import CacheModel
package import Workloads

/// The canonical bytes of a query's input: subject (8), letters of the prefix (1), limit (4), all
/// big-endian.
package enum QueryInput {
  static let byteCount = 13

  package static func encode(_ spec: QuerySpec) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.subject >> UInt64(shift)))
    }
    bytes.append(spec.prefixLength)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.limit >> UInt32(shift)))
    }
    return bytes
  }

  /// The query of a key; `nil` for a key that no `encode` made.
  package static func decode(_ key: QueryKey) -> QuerySpec? {
    guard let kind = QueryKind(rawValue: key.method.rawValue), key.input.count == byteCount else {
      return nil
    }
    let subject = key.input[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let limit = key.input[9...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return QuerySpec(kind: kind, subject: subject, prefixLength: key.input[8], limit: limit)
  }
}
