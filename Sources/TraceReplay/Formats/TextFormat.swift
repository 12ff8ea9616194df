extension TraceFormat {
  static let text = TraceFormat(
    name: "text", summary: "One key per line, any bytes; blank lines are skipped.",
    extensions: ["txt", "trace"], decoder: { TextDecoder(limits: $0.limits) },
    encoder: { _ in TextEncoder(mark: nil) })
}

/// One key per line: the bytes between line ends, which are LF or CRLF.
struct TextDecoder: TraceDecoder {
  private var lines: LineSplitter

  init(limits: TraceLimits) {
    lines = LineSplitter(limit: limits.keyBytes)
  }

  mutating func decode(
    _ bytes: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    try lines.consume(bytes) { text, _ throws(TraceError) in
      if !text.isEmpty { batch.append(text) }
    }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    try lines.finish { text, _ throws(TraceError) in
      if !text.isEmpty { batch.append(text) }
    }
  }
}

/// Writes one key per line.
struct TextEncoder: TraceEncoder {
  /// A byte that no key may hold, since its line would be skipped.
  var mark: UInt8?

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides([])
    switch key {
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .text(let text):
      // A line end in it would make two keys, one at its end would be lost.
      guard !text.contains(UInt8(ascii: "\n")), text.last != UInt8(ascii: "\r") else {
        throw .key("it contains a line end")
      }
      if let mark {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard !text.contains(mark), text.first.map(isBlank) == false,
          text.last.map(isBlank) == false
        else { throw .key("it contains a mark, or blanks at an end") }
      }
      bytes.append(contentsOf: text)
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
