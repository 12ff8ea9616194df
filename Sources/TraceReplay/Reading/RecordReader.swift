/// Reads the records of a trace from bytes handed in, a piece at a time.
///
/// After an error the reader is spent.
struct RecordReader: Sendable {
  private var decoder: any TraceDecoder
  private var batch = RecordBatch()

  /// Small enough for a batch to stay near the processor.
  private static let pieceBytes = 1 << 14

  init(format: TraceFormat, options: ReadingOptions) {
    decoder = format.makeDecoder(options)
  }

  /// Hands over what the bytes complete, in batches.
  mutating func consume(
    _ bytes: Span<UInt8>, _ body: (RecordBatch) throws(TraceError) -> Void
  ) throws(TraceError) {
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.pieceBytes, bytes.count)
      batch.removeAll()
      try decoder.decode(bytes.extracting(start..<end), into: &batch)
      if batch.count > 0 { try body(batch) }
      start = end
    }
  }

  /// The input has ended.
  mutating func finish(
    _ body: (RecordBatch) throws(TraceError) -> Void
  ) throws(TraceError) {
    batch.removeAll()
    try decoder.finish(into: &batch)
    if batch.count > 0 { try body(batch) }
  }
}
