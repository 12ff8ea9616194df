import Text

/// Some records on their way from a decoder to what uses them.
///
/// Between the two a batch is all there is: a decoder knows no consumer, a consumer no format, and
/// neither is called per record. Cleared and filled again, it allocates nothing.
struct RecordBatch: Sendable {
  /// Integer keys; for a text, where it begins in ``text``.
  private(set) var keys: [UInt64] = []
  /// The length of a text, 0 for an integer; empty as long as all keys are integers.
  private(set) var lengths: [UInt32] = []
  /// The bytes of the texts, one after the other.
  private(set) var text: [UInt8] = []
  /// Empty as long as every record has the defaults.
  private(set) var records: [TraceRecord] = []

  var count: Int { keys.count }

  /// How many lines the records stand for, at most 2⁴⁰.
  var lines: Int {
    guard !records.isEmpty else { return keys.count }
    var sum = 0
    for record in records { sum = min(1 << 40, sum + record.count) }
    return sum
  }

  mutating func removeAll() {
    keys.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
  }

  mutating func append(_ key: UInt64) {
    keys.append(key)
    if !lengths.isEmpty { lengths.append(0) }
    if !records.isEmpty { records.append(TraceRecord()) }
  }

  mutating func append(_ key: UInt64, _ record: TraceRecord) {
    startRecords()
    keys.append(key)
    if !lengths.isEmpty { lengths.append(0) }
    records.append(record)
  }

  /// Takes a text; a canonical decimal is the integer, since a key has one canonical form or none.
  mutating func append(_ key: Span<UInt8>, _ record: TraceRecord? = nil) {
    if record != nil { startRecords() }
    if let integer = DecimalDigits.canonical(key) {
      keys.append(integer)
      if !lengths.isEmpty { lengths.append(0) }
    } else {
      if lengths.isEmpty {
        lengths.append(contentsOf: repeatElement(0, count: keys.count))
      }
      keys.append(UInt64(text.count))
      lengths.append(UInt32(key.count))
      for index in key.indices { text.append(key[index]) }
    }
    if let record {
      records.append(record)
    } else if !records.isEmpty {
      records.append(TraceRecord())
    }
  }

  /// Takes so many integers without more to say about them.
  @inline(__always)
  mutating func append(count: Int, _ integer: (Int) -> UInt64) {
    precondition(lengths.isEmpty && records.isEmpty, "a batch of another form")
    keys.reserveCapacity(keys.count + count)
    for index in 0..<count { keys.append(integer(index)) }
  }

  /// What the record says besides its key.
  subscript(index: Int) -> TraceRecord { records.isEmpty ? TraceRecord() : records[index] }

  /// Whether the key is a text, which is then ``text(at:)``; else it is `keys[index]`.
  func isText(at index: Int) -> Bool { !lengths.isEmpty && lengths[index] > 0 }

  /// Where in ``text`` the key stands.
  func text(at index: Int) -> Range<Int> {
    let start = Int(keys[index])
    return start..<start + Int(lengths[index])
  }

  private mutating func startRecords() {
    guard records.isEmpty, !keys.isEmpty else { return }
    records.append(contentsOf: repeatElement(TraceRecord(), count: keys.count))
  }
}
