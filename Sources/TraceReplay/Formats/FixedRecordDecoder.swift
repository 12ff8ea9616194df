/// Records of one length.
protocol FixedRecord: Sendable {
  static var format: String { get }
  /// The length of a record.
  static var bytes: Int { get }
  /// Appends the record that the span holds, of exactly ``bytes``.
  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault)
  /// Appends all records that the span holds, in one call, where none can be wrong.
  ///
  /// Whether it did so; if not, they are appended one by one.
  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool
}

extension FixedRecord {
  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool { false }
}

/// Decodes any ``FixedRecord``, whole records in place, and one that is cut by the end of a piece.
struct FixedRecordDecoder<Record: FixedRecord>: TraceDecoder {
  private let wanted: TraceColumns
  /// How many bytes came before those in hand.
  private var consumed = 0
  /// The beginning of a record whose end has not arrived.
  private var pending: [UInt8] = []

  init(wanted: TraceColumns = []) {
    self.wanted = wanted
  }

  mutating func decode(
    _ bytes: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    var start = 0
    if !pending.isEmpty {
      start = min(Record.bytes - pending.count, bytes.count)
      for index in 0..<start { pending.append(bytes[index]) }
      guard pending.count == Record.bytes else {
        consumed += bytes.count
        return
      }
      try take(pending.span.bytes, at: consumed + start - Record.bytes, into: &batch)
      pending.removeAll(keepingCapacity: true)
    }
    let raw = bytes.bytes
    let whole = start + (raw.byteCount - start) / Record.bytes * Record.bytes
    if Record.appendAll(raw.extracting(start..<whole), to: &batch, wanted: wanted) {
      start = whole
    }
    while start + Record.bytes <= raw.byteCount {
      try take(
        raw.extracting(start..<start + Record.bytes), at: consumed + start, into: &batch)
      start += Record.bytes
    }
    for index in start..<bytes.count { pending.append(bytes[index]) }
    consumed += bytes.count
  }

  private func take(
    _ record: RawSpan, at offset: Int, into batch: inout RecordBatch
  ) throws(TraceError) {
    do throws(RecordFault) {
      try Record.append(record, to: &batch, wanted: wanted)
    } catch {
      throw .binaryRecord(offset: offset, error)
    }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    guard pending.isEmpty else {
      throw .truncatedRecord(
        format: Record.format, offset: consumed - pending.count, found: pending.count,
        recordBytes: Record.bytes)
    }
  }
}
