import CacheModel
package import Workloads

/// The canonical bytes of a query's input: subject (8), letters of the prefix (1), limit (4), and the cursor
/// (5) where it has one, all big-endian.
package enum QueryInput {
  private static let byteCount = 13
  private static let cursorBytes = 5

  package static func encode(_ spec: QuerySpec) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + cursorBytes)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.subject >> UInt64(shift)))
    }
    bytes.append(spec.prefixLength)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.limit >> UInt32(shift)))
    }
    if spec.after != Revision.noObject {
      for shift in stride(from: 32, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: UInt64(spec.after) >> UInt64(shift)))
      }
    }
    return bytes
  }

  /// The query of a key; `nil` for a key that no `encode` made.
  package static func decode(_ key: QueryKey) -> QuerySpec? {
    let input = key.input
    guard let kind = QueryKind(rawValue: key.method.rawValue),
      [byteCount, byteCount + cursorBytes].contains(input.count)
    else { return nil }
    func number(_ bytes: Range<Int>) -> UInt64 {
      input[bytes].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let limit = UInt32(exactly: number(9..<byteCount)) else { return nil }
    var spec = QuerySpec(
      kind: kind, subject: number(0..<8), prefixLength: input[8], limit: limit)
    if input.count > byteCount {
      guard let after = UInt32(exactly: number(byteCount..<input.count)) else { return nil }
      spec.after = after
    }
    return spec
  }
}
