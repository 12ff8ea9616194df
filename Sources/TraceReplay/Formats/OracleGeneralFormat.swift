extension TraceFormat {
  static let oracleGeneral = TraceFormat(
    name: "oracle-general",
    summary: "libCacheSim's 24-byte records: time in s, object, size, next access (ignored); gets.",
    columns: [.weights, .times],
    recordBytes: OracleGeneral.bytes,
    decoder: {
      FixedRecordDecoder<OracleGeneral>(
        wanted: $0.wantsTimesAlone ? $0.columns : $0.columns.subtracting(.times))
    }, encoder: { OracleGeneralEncoder(unknownSize: $0.contains(.weights) ? 0 : 1) })
}

/// Packed little-endian: 32-bit time in seconds, 64-bit object, 32-bit size, 64-bit next access.
///
/// The next access is the number of the next request for the object, which is also derived from the trace
/// itself; -1, or a very large number, means none.
///
/// Source: libCacheSim, `traceReader/customizedReader/oracle/oracleGeneralBin.h`.
enum OracleGeneral: FixedRecord {
  static let format = "oracle-general"
  static let bytes = 24

  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault) {
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
      Value(littleEndian: record.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    }
    let object: UInt64 = load(4)
    guard !wanted.isDisjoint(with: [.weights, .times]) else {
      batch.append(object)
      return
    }
    let size: UInt32 = load(12)
    guard size <= UInt32(Int32.max) else { throw .sizeOutOfRange(column: "size") }
    let seconds: UInt32 = load(0)
    batch.append(
      object,
      TraceRecord(
        weight: wanted.contains(.weights) ? Int32(size) : 0,
        time: wanted.contains(.times) ? Int64(seconds) * 1_000_000_000 : 0))
  }

  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool {
    guard wanted.isDisjoint(with: [.weights, .times]) else { return false }
    batch.append(count: records.byteCount / bytes) { index in
      UInt64(
        littleEndian: records.unsafeLoadUnaligned(
          fromByteOffset: index * bytes + 4, as: UInt64.self))
    }
    return true
  }
}

/// Encodes the records with an unknown next access, -1; libCacheSim computes it again.
struct OracleGeneralEncoder: TraceEncoder {
  /// The replacement for an unknown size: 1 if the trace has no sizes, since libCacheSim skips requests of
  /// size 0.
  var unknownSize: UInt32

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides([.weights, .times])
    let object = try key.integer(upTo: .max)
    guard record.time % 1_000_000_000 == 0,
      let seconds = UInt32(exactly: record.time / 1_000_000_000)
    else { throw .value("its time is not a whole number of seconds below 2³²") }
    func store(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    store(seconds)
    store(object)
    store(record.weight == 0 ? unknownSize : UInt32(record.weight))
    store(Int64(-1))
  }
}
