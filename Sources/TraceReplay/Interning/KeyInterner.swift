/// Numbers keys by first appearance, exactly: two keys share a number only if all their bytes agree.
struct KeyInterner: Sendable {
  private(set) var ids: [UInt32] = []
  private(set) var distinct = 0

  private let requestLimit: Int
  private var integers = IntegerTable()
  private var strings = ByteTable()

  /// Slots are 32-bit and signed, and a list over them takes one more.
  private static let keyLimit = Int(Int32.max) - 1

  init(limits: TraceLimits) {
    requestLimit = limits.requests
  }

  mutating func append(_ key: UInt64) throws(TraceError) {
    let number = integers.number(of: key, ifNew: UInt32(truncatingIfNeeded: distinct))
    try append(number: number)
  }

  /// Canonical decimals go the fast way of integers; a key has one canonical form or none, so the
  /// two tables never hold the same key.
  mutating func append(_ key: Span<UInt8>) throws(TraceError) {
    if let integer = Self.canonicalDecimal(key) {
      try append(integer)
    } else {
      let number = strings.number(of: key, ifNew: UInt32(truncatingIfNeeded: distinct))
      try append(number: number)
    }
  }

  private mutating func append(number: UInt32) throws(TraceError) {
    guard ids.count < requestLimit else { throw .tooManyRequests(limit: requestLimit) }
    if Int(number) == distinct {
      guard distinct < Self.keyLimit else { throw .tooManyKeys(limit: Self.keyLimit) }
      distinct += 1
    }
    ids.append(number)
  }

  /// The value of digits without leading zeros, at most 19 of them, which fit into 64 bits.
  private static func canonicalDecimal(_ text: Span<UInt8>) -> UInt64? {
    guard (1...19).contains(text.count), text.count == 1 || text[0] != UInt8(ascii: "0") else {
      return nil
    }
    var value: UInt64 = 0
    for index in text.indices {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + UInt64(digit)
    }
    return value
  }
}
