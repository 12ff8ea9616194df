extension TraceFormat {
  static let be32 = TraceFormat(
    name: "be32", summary: "One big-endian 32-bit integer per request.",
    recordBytes: 4,
    decoder: { _ in FixedRecordDecoder<BigEndian<UInt32>>() },
    encoder: { _ in BigEndianEncoder(bytes: 4) })

  static let be64 = TraceFormat(
    name: "be64", summary: "One big-endian 64-bit integer per request.",
    recordBytes: 8,
    decoder: { _ in FixedRecordDecoder<BigEndian<UInt64>>() },
    encoder: { _ in BigEndianEncoder(bytes: 8) })
}

enum BigEndian<Integer: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>: FixedRecord {
  static var format: String { "be\(Integer.bitWidth)" }
  static var bytes: Int { MemoryLayout<Integer>.size }

  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault) {
    batch.append(integer(record, at: 0))
  }

  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool {
    batch.append(count: records.byteCount / bytes) { integer(records, at: $0 * bytes) }
    return true
  }

  private static func integer(_ bytes: RawSpan, at offset: Int) -> UInt64 {
    UInt64(Integer(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Integer.self)))
  }
}

struct BigEndianEncoder: TraceEncoder {
  var bytes: Int

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into output: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides([])
    let integer = try key.integer(upTo: bytes == 8 ? .max : 1 << UInt64(8 * bytes) - 1)
    for place in (0..<bytes).reversed() {
      output.append(UInt8(truncatingIfNeeded: integer >> UInt64(8 * place)))
    }
  }
}
