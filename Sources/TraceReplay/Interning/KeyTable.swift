/// Numbers keys from 0 by first appearance, exactly: two share a number only if all their bytes agree.
struct KeyTable: Sendable {
  /// How many keys there are.
  private(set) var count = 0

  private var integers = IntegerTable()
  private var strings = ByteTable()

  /// Slots are 32-bit and signed, and a list over them takes one more.
  private static let limit = Int(Int32.max) - 1

  /// The number of the key of a record.
  mutating func number(of index: Int, in batch: RecordBatch) throws(TraceError) -> UInt32 {
    guard batch.isText(at: index) else { return try number(of: batch.keys[index]) }
    return try note(
      strings.number(
        of: batch.text.span.extracting(batch.text(at: index)),
        ifNew: UInt32(truncatingIfNeeded: count)))
  }

  /// The number of an integer key.
  mutating func number(of key: UInt64) throws(TraceError) -> UInt32 {
    try note(integers.number(of: key, ifNew: UInt32(truncatingIfNeeded: count)))
  }

  /// Asks for the memory that the number of an integer key will be found in.
  func prefetch(_ key: UInt64) { integers.prefetch(key) }

  /// The bytes that the tables take while the fuller of them grows.
  var bytesToGrow: Int { integers.bytesToGrow + strings.bytesToGrow }

  private mutating func note(_ number: UInt32) throws(TraceError) -> UInt32 {
    guard Int(number) == count else { return number }
    guard count < Self.limit else { throw .tooManyKeys(limit: Self.limit) }
    count += 1
    return number
  }
}
