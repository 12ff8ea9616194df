extension TraceFormat {
  static let be32 = TraceFormat(
    name: "be32", summary: "One big-endian 32-bit integer per request.",
    recordBytes: 4,
    decoder: { _ in FixedRecordDecoder<BigEndian32>() },
    encoder: { _ in BigEndianEncoder(bytes: 4) })

  static let be64 = TraceFormat(
    name: "be64", summary: "One big-endian 64-bit integer per request.",
    recordBytes: 8,
    decoder: { _ in FixedRecordDecoder<BigEndian64>() },
    encoder: { _ in BigEndianEncoder(bytes: 8) })
}

enum BigEndian32: FixedRecord {
  static let format = "be32"
  static let bytes = 4

  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault) {
    batch.append(UInt64(UInt32(bigEndian: record.unsafeLoadUnaligned(as: UInt32.self))))
  }

  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool {
    batch.append(count: records.byteCount / bytes) { index in
      UInt64(
        UInt32(
          bigEndian: records.unsafeLoadUnaligned(fromByteOffset: index * bytes, as: UInt32.self)))
    }
    return true
  }
}

enum BigEndian64: FixedRecord {
  static let format = "be64"
  static let bytes = 8

  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault) {
    batch.append(UInt64(bigEndian: record.unsafeLoadUnaligned(as: UInt64.self)))
  }

  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool {
    batch.append(count: records.byteCount / bytes) { index in
      UInt64(bigEndian: records.unsafeLoadUnaligned(fromByteOffset: index * bytes, as: UInt64.self))
    }
    return true
  }
}

/// Writes integers, most significant byte first.
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
