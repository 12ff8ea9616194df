package import CacheModel
package import Workloads

/// The canonical bytes of a query's input: subject (8), letters of the prefix (1), limit (4), all
/// big-endian, the order (1) where the query says one, and the cursor (4) where it has one.
package enum QueryInput {
  private static let byteCount = 13

  package static func encode(_ spec: QuerySpec) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 5)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.subject >> UInt64(shift)))
    }
    bytes.append(spec.prefixLength)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: spec.limit >> UInt32(shift)))
    }
    if let order = spec.order { bytes.append(number(of: order)) }
    if spec.after != Revision.noObject {
      if spec.order == nil { bytes.append(0) }
      for shift in stride(from: 24, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: spec.after >> UInt32(shift)))
      }
    }
    return bytes
  }

  /// The query of a key; `nil` for a key that no `encode` made.
  package static func decode(_ key: QueryKey) -> QuerySpec? {
    let input = key.input
    guard let kind = QueryKind(rawValue: key.method.rawValue),
      [byteCount, byteCount + 1, byteCount + 5].contains(input.count)
    else { return nil }
    let subject = input[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let limit = input[9..<byteCount].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    var spec = QuerySpec(kind: kind, subject: subject, prefixLength: input[8], limit: limit)
    if input.count == byteCount + 5 {
      spec.after = input[(byteCount + 1)...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    if input.count > byteCount, input[byteCount] != 0 || input.count == byteCount + 1 {
      guard let order = ListOrder.allCases.first(where: { number(of: $0) == input[byteCount] })
      else { return nil }
      spec.order = order
    }
    return spec
  }

  private static func number(of order: ListOrder) -> UInt8 {
    switch order {
    case .name: 1
    case .modifiedDescending: 2
    case .asShown: 3
    }
  }
}
