extension TraceFormat {
  static let lirs = TraceFormat(
    name: "lirs",
    summary: "The LIRS traces: one block per line; blank lines and lines with * are skipped.",
    extensions: ["trc", "lirs"], decoder: { LIRSDecoder(limits: $0.limits) },
    encoder: { _ in TextEncoder(mark: UInt8(ascii: "*")) })
}

/// One block per line, blanks around it ignored; a line with a `*` marks a phase and is no request.
///
/// Source: the traces of Jiang & Zhang, "LIRS", SIGMETRICS 2002, as their authors distribute them.
struct LIRSDecoder: TraceDecoder {
  private var lines: LineSplitter

  init(limits: TraceLimits) {
    lines = LineSplitter(limit: limits.keyBytes)
  }

  mutating func decode(
    _ bytes: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    try lines.consume(bytes) { text, _ throws(TraceError) in Self.take(text, into: &batch) }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    try lines.finish { text, _ throws(TraceError) in Self.take(text, into: &batch) }
  }

  private static func take(_ text: Span<UInt8>, into batch: inout RecordBatch) {
    var bounds = 0..<text.count
    while let first = bounds.first, isBlank(text[first]) { bounds.removeFirst() }
    while let last = bounds.last, isBlank(text[last]) { bounds.removeLast() }
    for index in bounds where text[index] == UInt8(ascii: "*") { return }
    if !bounds.isEmpty { batch.append(text.extracting(bounds)) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
